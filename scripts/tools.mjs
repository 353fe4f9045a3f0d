// The tools that build, check and try the packages, each of one version, fetched once into a folder outside the tree.
// As a program it fetches the tools that are named, or all, at the same time.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const cache = process.env.BRIDGE_ADMISSION_TOOLS ?? path.join(homedir(), '.cache', 'bridge-admission-tools')
const npmTools = fileURLToPath(new URL('tools', import.meta.url))
const { platform, arch } = process

const PIP_FLAGS = ['--quiet', '--disable-pip-version-check', '--root-user-action=ignore']
/** Flags may stand before the packages. */
export const fromPypi = (...packages) => ({
  key: packages.join(' '),
  install: (into) => run('python3', ['-m', 'pip', 'install', ...PIP_FLAGS, '--target', into, ...packages])
})
/** Built without optimisation: it runs for a second, and would build for minutes. */
const fromCrates = (crate) => ({
  key: crate,
  install: (into) =>
    run('cargo', ['install', '--quiet', '--locked', '--debug', '--root', into, crate], undefined, {
      ...process.env,
      CARGO_PROFILE_DEV_DEBUG: '0'
    })
})
/** Scripts stay off: each package brings its binary along. */
const NPM_FLAGS = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
export const fromNpm = (...packages) => ({
  key: packages.join(' '),
  install: (into) => run('npm', ['install', '--no-save', ...NPM_FLAGS, '--prefix', into, ...packages])
})
const fromLock = (folder) => ({
  key: readFileSync(path.join(folder, 'package-lock.json'), 'utf8'),
  install: (into) => {
    cpSync(folder, into, { recursive: true })
    return run('npm', ['ci', ...NPM_FLAGS], into)
  }
})

/** For the hosts that tests emulate, too. */
export const NODE_24 = '24.22.3'

const TOOLS = {
  zig: fromPypi('ziglang==0.16.0', 'cargo-zigbuild==0.24.1'),
  zizmor: fromPypi('zizmor==1.32.0'),
  'cargo-deny': fromCrates('cargo-deny@0.20.2'),
  'cargo-cyclonedx': fromCrates('cargo-cyclonedx@0.5.9'),
  npm: fromLock(npmTools),
  'node-20': fromNpm(`node-${platform}-${arch}@20.20.2`),
  'node-22': fromNpm(`node-${platform}-${arch}@22.23.5`),
  'node-24': fromNpm(`node-${platform}-${arch}@${NODE_24}`),
  'node-26': fromNpm(`node-${platform}-${arch}@26.12.1`)
}

/** The folder of a tool, which is fetched first where it is missing. */
export function tool(name) {
  return fetched(name, TOOLS[name])
}

/** The folder that `install` fills, whose contents follow from `key`: filled once, and anew where the key is another. */
export async function fetched(name, { key, install }) {
  const folder = path.join(cache, `${name}-${createHash('sha256').update(key).digest('hex').slice(0, 12)}`)
  if (existsSync(folder)) return folder
  // Fetched beside its place and then renamed: what stands there is whole, also if another process fetches it too.
  const draft = `${folder}.${process.pid}`
  mkdirSync(draft, { recursive: true })
  await install(draft)
  try {
    renameSync(draft, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(draft, { recursive: true })
  }
  return folder
}

/** The path of a program among the tools of npm, with the arguments before its own. */
export async function npmTool(file) {
  return path.join(await tool('npm'), 'node_modules', ...file.split('/'))
}

/** Runs a program to its end; rejects where it fails. Its output is this program's. */
export function run(command, args, cwd, env = process.env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
      shell: platform === 'win32'
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(`${command} ${args.join(' ')} ended with ${signal ?? code}`))
    })
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(TOOLS)
  await Promise.all(names.map(tool))
}
