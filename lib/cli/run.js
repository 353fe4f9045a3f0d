'use strict'

const { spawn } = require('node:child_process')
const { isatty } = require('node:tty')
const { EXIT, ofSignal } = require('./exit-codes.js')
const { complain } = require('./say.js')

const PASSED_ON = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2']
/** A terminal sends these to the command as well, which would otherwise get them twice. */
const TYPED = ['SIGINT', 'SIGQUIT']

/** Runs the command in the place of this one: its streams, its signals, its exit code, which this resolves to. */
function run([command, ...args]) {
  return new Promise((resolve) => {
    const pass = (signal) => child.kill(signal)
    for (const signal of PASSED_ON) process.on(signal, pass)
    for (const signal of TYPED) process.on(signal, [0, 1, 2].some(isatty) ? () => {} : pass)
    const child = spawn(command, args, { stdio: 'inherit' })
    child.on('error', (error) => {
      complain(`${command} cannot be run: ${error.code === 'ENOENT' ? 'not found' : error.message}`)
      resolve(error.code === 'ENOENT' ? EXIT.notFound : EXIT.notExecutable)
    })
    child.on('exit', (code, signal) => resolve(code ?? ofSignal(signal)))
  })
}

module.exports = { run }
