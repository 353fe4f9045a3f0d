import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import vm from 'node:vm'
import { classifyFailure } from '../index.js'

const here = (name) => new URL(name, import.meta.url)
const cases = readFileSync(here('cases/failure.jsonl'), 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line))

/** Builds a real Error: class by name, own properties, cause and members. */
function errorOf({ name, message, cause, errors, ...own }) {
  const error = errors ? new AggregateError(errors.map(errorOf), message)
    : name === 'TypeError' ? new TypeError(message) : new Error(message)
  if (name !== undefined) error.name = name
  if (cause !== undefined) error.cause = errorOf(cause)
  return Object.assign(error, own)
}

const textOf = ({ text, text_file: file }) => text ?? readFileSync(here(file), 'utf8')

/** Every form in which the failure of a row may arrive. */
function formsOf({ http, value, text, text_file: file, error }) {
  if (error) return [errorOf(error)]
  if (text !== undefined || file) {
    const whole = textOf({ text, text_file: file })
    const bytes = new TextEncoder().encode(whole)
    return [whole, bytes, Buffer.from(whole), bytes.buffer]
  }
  if (http) {
    const { body_file: bodyFile, ...answer } = http
    const body = bodyFile ? readFileSync(here(bodyFile), 'utf8') : http.body
    const { headers } = answer
    return [body, Buffer.from(body), new TextEncoder().encode(body)].flatMap((body) => [
      { ...answer, body },
      { ...answer, body, headers: new Headers(headers) },
      { ...answer, body, headers: new Map(Object.entries(headers)) },
      Object.assign(new Error('answered'), { response: { ...answer, data: body } }),
    ])
  }
  return [value]
}

for (const row of cases) {
  test(row.id, () => {
    const answers = formsOf(row.failure).map(classifyFailure)
    for (const answer of answers) {
      for (const [field, wanted] of Object.entries(row.expect)) assert.deepEqual(answer[field], wanted, `${field}: ${row.why}`)
      assert.equal(answer.capacity, answer.kind === 'capacity')
    }
  })
}
