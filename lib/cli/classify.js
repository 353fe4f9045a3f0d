'use strict'

const { classifyFailure } = require('../../index.js')
const { LARGEST_BODY } = require('../get-health.js')
const { EXIT } = require('./exit-codes.js')
const { readOperand, reasonOf } = require('./read.js')
const { complain, fit, print, printJson } = require('./say.js')
const { lookOf } = require('./terminal.js')
const { Usage } = require('./usage.js')

/** Says whose failure the text was. Resolves to the exit code: 0 for capacity. */
async function classify({ values, operand }) {
  if (operand === undefined && process.stdin.isTTY) throw new Usage('no failure is given: name its file, or pipe it in')
  const name = operand ?? '-'
  let text
  try {
    text = await readOperand(name, LARGEST_BODY)
  } catch (error) {
    complain(`${name === '-' ? 'standard input' : name} cannot be read: ${reasonOf(error)}`)
    return EXIT.unavailable
  }
  const classification = classifyFailure(text)
  if (values.json) printJson(classification)
  else if (!values.quiet) print(linesOf(classification, lookOf(process.stdout, process.env)))
  return classification.capacity ? EXIT.ok : EXIT.notCapacity
}

/** What people see: the kind and what to do, then the message. */
function linesOf({ kind, reason, retrySafe, retryAfterMs, message }, look) {
  const whose = reason === undefined ? kind : `${kind} (${reason})`
  const after = retryAfterMs === undefined ? '' : ` after ${retryAfterMs} ms`
  const retry = retrySafe ? `safe to retry under a new run id${after}` : 'not known to be safe to retry'
  return [...fit(`${whose}, ${retry}`, look), ...fit(message, look)]
}

module.exports = { classify }
