'use strict'

const { EXIT } = require('./exit-codes.js')
const { parse } = require('./options.js')
const { complain, hidden, keepSecret, print } = require('./say.js')
const { Usage } = require('./usage.js')

// Loaded when they are needed: the command has to start fast.
const RUN = {
  check: (line) => require('./check.js').check(line),
  watch: (line) => require('./watch.js').watch(line),
  classify: (line) => require('./classify.js').classify(line)
}

/** Runs the command with these arguments, and ends the process with its exit code. */
async function main(argv) {
  keepSecret(process.env.BRIDGE_BEARER)
  process.stdout.on('error', whenUnwritable)
  process.stderr.on('error', () => {})
  process.on('uncaughtException', whenAtFault)
  try {
    process.exitCode = await obey(argv)
  } catch (error) {
    if (!(error instanceof Usage)) throw error
    complain(`${error.message} (--help tells more)`)
    process.exitCode = EXIT.usage
  }
  // What was written comes first, and what a failed write has to say. What else is under way, such as the looking up of a
  // name, is not waited for.
  written(process.stdout, () => written(process.stderr, () => setImmediate(() => process.exit())))
}

/** Calls back once all is written. Where nothing was, nothing is tried: it could only fail. */
function written(stream, done) {
  if (stream.writableLength === 0) done()
  else stream.write('', done)
}

function obey(argv) {
  const line = parse(argv)
  if (line.values.help) return say(require('./help.js').help())
  if (line.values.version) return say(`bridge-admission ${require('../../package.json').version}`)
  return RUN[line.verb](line)
}

function say(text) {
  print([text])
  return EXIT.ok
}

/** A fault of the command itself. It is told when the terminal is as it was. */
function whenAtFault(error) {
  process.on('exit', () => process.stderr.write(`bridge-admission: ${hidden(error.stack ?? String(error))}\n`))
  process.exit(EXIT.software)
}

/** A reader that has seen enough is no failure: the verdict stands. */
function whenUnwritable(error) {
  if (error.code === 'EPIPE') return
  complain(`the output cannot be written: ${error.message}`)
  process.exit(EXIT.ioError)
}

module.exports = { main }
