'use strict'

/** What no output may show. */
const secrets = new Set()

/** From here on the text is in no output. */
function keepSecret(text) {
  if (text) secrets.add(text)
}

/** The text, without a secret that found its way into it. */
function hidden(text) {
  for (const secret of secrets) text = text.replaceAll(secret, '<bearer>')
  return text
}

/** The lines of a text that is not ours alone. In a terminal none is wider than it. */
function fit(text, { terminal, width, ascii }) {
  const { visible, wrap } = require('./text.js')
  const shown = visible(hidden(text))
  const line = ascii ? shown.replace(/[^ -~]/gu, '?') : shown
  return terminal ? wrap(line, width) : [line]
}

/** Lines on standard output. */
function print(lines) {
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** One JSON object on standard output. Characters that some terminals obey are escaped as well. */
function printJson(object) {
  const text = JSON.stringify(object, (_, value) => (typeof value === 'string' ? hidden(value) : value), 2)
  process.stdout.write(`${text.replace(/[\x7f-\x9f]/g, escaped)}\n`)
}

const escaped = (character) => `\\u00${character.charCodeAt(0).toString(16)}`

/** A warning or an error, on standard error. */
function complain(text) {
  const { lookOf } = require('./terminal.js')
  const lines = fit(`bridge-admission: ${text}`, lookOf(process.stderr, process.env))
  process.stderr.write(`${lines.join('\n')}\n`)
}

module.exports = { keepSecret, hidden, fit, print, printJson, complain }
