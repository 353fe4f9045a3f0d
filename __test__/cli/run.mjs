// Runs the command as a process of its own: with pipes, or in a pseudo-terminal.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const COMMAND = fileURLToPath(new URL('../../bin/bridge-admission.js', import.meta.url))
export const CAPTURES = fileURLToPath(new URL('../captures', import.meta.url))
const TERMINAL = fileURLToPath(new URL('terminal.py', import.meta.url))

/** What a test needs that runs on Unix alone. */
export const unix = { skip: process.platform === 'win32' && 'signals, shells, devices and terminals are those of Unix' }

/** Those that still run. A test that fails may leave some. */
const children = new Set()
process.on('exit', () => children.forEach((child) => child.kill()))

/** An environment that tells the command nothing. */
const environment = (env) => ({ PATH: process.env.PATH, LANG: 'C.UTF-8', ...env })

/**
 * Starts the command with pipes, in the directory of the captured bodies.
 *
 * @returns the child, with what it has printed so far as `output` and `errors`, and `done`, which resolves to
 * `{ code, signal, stdout, stderr }`
 */
export function start(args, { env, input = '', cwd = CAPTURES, command = process.execPath, head = [COMMAND] } = {}) {
  const child = spawn(command, [...head, ...args], { cwd, env: environment(env) })
  children.add(child)
  child.on('exit', () => children.delete(child))
  child.output = ''
  child.errors = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (child.output += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (child.errors += text))
  // The command may end before it has read all.
  child.stdin.on('error', () => {}).end(input)
  child.done = once(child, 'close').then(([code, signal]) => ({
    code,
    signal,
    stdout: child.output,
    stderr: child.errors
  }))
  return child
}

/** Runs the command to its end. */
export const run = (args, options) => start(args, options).done

/**
 * Runs the command in a pseudo-terminal.
 *
 * @param {string[]} args
 * @param {object} options
 * @param {number} options.columns
 * @param {number} [options.rows]
 * @param {object[]} [options.steps] one after the other: what to wait for, `{ until: a text since the last step }` or
 * `{ stopped: true }`, and in the same object what to do then, `{ signal: name }`, `{ type: text }` or
 * `{ resize: [columns, rows] }`
 * @returns {Promise<{ code: number, output: string, restored: boolean }>} `code` is 128 + n for a signal, `restored`
 * whether the terminal's settings are as before
 */
export async function runInTerminal(args, { columns, rows = 24, env, steps = [], cwd = CAPTURES }) {
  const spec = JSON.stringify({ argv: [process.execPath, COMMAND, ...args], columns, rows, steps })
  const settings = environment({ TERM: 'xterm-256color', ...env })
  const { stdout, stderr } = await run([spec], { command: 'python3', head: [TERMINAL], env: settings, cwd })
  if (stdout === '') throw new Error(`no answer from the pseudo-terminal: ${stderr}`)
  return JSON.parse(stdout)
}
