'use strict'

const { bearerOf } = require('./bearer.js')
const { intentOf } = require('./intent.js')
const { reportOf } = require('./report.js')
const { readSource, sourceOf } = require('./source.js')

/**
 * Prepares what the options say. The `ask` that comes of it resolves to the report of one reading, and rejects with an
 * `AbortError` only.
 *
 * @returns {Promise<{ source: object, intent: object, ask: (signal?: AbortSignal) => Promise<object> }>}
 * @throws {Usage}
 */
async function asker({ values, operand }) {
  const source = sourceOf(operand, process.env)
  const intent = intentOf(values)
  const bearer = await bearerOf(values['bearer-file'], process.env)
  const ask = async (signal) => {
    const answer = intent.ungated ? {} : await readSource(source, { bearer, timeoutMs: values.timeout, signal })
    return reportOf(source, intent, answer, values['fail-open'])
  }
  return { source, intent, ask }
}

module.exports = { asker }
