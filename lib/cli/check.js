'use strict'

const { asker } = require('./ask.js')
const { EXIT } = require('./exit-codes.js')
const { paint, picture } = require('./picture.js')
const { nameOf, sentenceOf } = require('./report.js')
const { complain, fit, print, printJson } = require('./say.js')
const { lookOf } = require('./terminal.js')

const TINTS = { room: 'green', 'no-room': 'yellow', 'never-fits': 'red' }

/** Reads a bridge's room, waits for it and runs a command in it where asked. Resolves to the exit code. */
async function check(line) {
  const { values, command } = line
  const { source, ask } = await asker(line)
  const report = values.wait === undefined ? await ask() : await require('./wait.js').waitForRoom(source, ask, values)
  const granted = report.exitCode === EXIT.ok
  if (values.json) printJson(report)
  if (report.error !== null) complain(sentenceOf(report))
  else if (!values.json && !values.quiet) {
    // The output is the command's, or what would have come in its place.
    if (!command) print(linesOf(source, report, lookOf(process.stdout, process.env, values.ascii)))
    else if (!granted) complain(sentenceOf(report))
  }
  return command && granted ? require('./run.js').run(command) : report.exitCode
}

/**
 * What people see of a report: the source, its gates, the verdict. In a terminal no line is wider than it.
 *
 * @param {{ name: string, url?: URL }} source
 * @param {object} report of `reportOf`, with or without an error
 * @param {object} look of `lookOf`
 */
function linesOf(source, report, look) {
  const tint = look.colour && (TINTS[report.verdict] ?? 'red')
  return [
    ...fit(nameOf(source), look),
    ...picture(report, { slots: report.intended.slots, ...look }),
    ...fit(sentenceOf(report), look).map((line) => paint(line, tint))
  ]
}

module.exports = { check, linesOf }
