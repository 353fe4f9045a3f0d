import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { test } from 'node:test'
import vm from 'node:vm'
import { classifyFailure } from '../index.js'

const here = (name) => new URL(name, import.meta.url)
const lines = (name) => readFileSync(here(name), 'utf8').split('\n').filter(Boolean)
const cases = lines('cases/failure.jsonl').map((line) => JSON.parse(line))

/** Builds a real Error: class by name, own properties, cause and members. */
function errorOf({ name, message, cause, errors, ...own }) {
  const error = errors
    ? new AggregateError(errors.map(errorOf), message)
    : name === 'TypeError'
      ? new TypeError(message)
      : new Error(message)
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
      Object.assign(new Error('answered'), { response: { ...answer, data: body } })
    ])
  }
  return [value]
}

for (const row of cases) {
  test(row.id, () => {
    const answers = formsOf(row.failure).map(classifyFailure)
    for (const answer of answers) {
      for (const [field, wanted] of Object.entries(row.expect)) {
        assert.deepEqual(answer[field], wanted, `${field}: ${row.why}`)
      }
      assert.equal(answer.capacity, answer.kind === 'capacity')
    }
  })
}

const refusal = { type: 'executor_saturated', capacity: true, executor: 'host', in_flight: 4, max: 4, queued: 1 }
const unknown = (failure, message) => {
  const answer = classifyFailure(failure)
  assert.deepEqual({ ...answer }, { kind: 'unknown', capacity: false, retrySafe: false, message })
}

test('a capacity refusal, every field', () => {
  const body = readFileSync(here('captures/refuse-executor-429-nonstream.json'))
  assert.deepEqual(
    { ...classifyFailure({ status: 429, headers: { 'Retry-After': ['5'] }, body }) },
    {
      kind: 'capacity',
      capacity: true,
      retrySafe: true,
      message:
        'capacity refusal, not a provider failure: host executor full (4 of 4 in flight, 1 queued) ' +
        'after waiting 1500 ms; nothing was dispatched to the provider',
      code: 'executor_saturated',
      reason: 'acquire-timeout',
      status: 429,
      providerDispatch: 'not_started',
      waitedMs: 1500,
      retryAfterMs: 5000,
      executor: { name: 'host', inFlight: 4, max: 4, queued: 1, deadlineMs: 1500 }
    }
  )
})

test('captured bodies: parsed, text and bytes agree', () => {
  for (const name of readdirSync(here('captures/')).filter((name) => name.endsWith('.json'))) {
    const text = readFileSync(here(`captures/${name}`), 'utf8')
    // A text without an error is its own message; a parsed body has none.
    const { message, ...parsed } = classifyFailure(JSON.parse(text))
    for (const form of [text, new TextEncoder().encode(text), new TextEncoder().encode(text).buffer]) {
      const { message: own, ...answer } = classifyFailure(form)
      assert.deepEqual(answer, parsed, name)
      assert.equal(own, message === 'no message' ? text : message, name)
    }
  }
})

test('texts that are longer than an answer could be', () => {
  const long = '€'.repeat(180_000_000)
  const read = long.slice(0, 1 << 26)
  assert.deepEqual(classifyFailure({ code: long, message: 'x' }).code, read.slice('x'.length))
  assert.equal(classifyFailure(long).message, read)
  assert.equal(classifyFailure(`bridge executor is full: in_flight 4 of max 4${long}`).kind, 'capacity')
})

test('texts that are too long together', { timeout: 60_000 }, () => {
  const [text, bytes] = ['é'.repeat(1 << 24), Buffer.alloc(1 << 24, 'é')]
  for (const body of [text, bytes]) {
    const errors = [refusal, ...Array.from({ length: 99 }, () => ({ body }))]
    assert.equal(classifyFailure({ errors }).kind, 'unknown')
  }
  const cause = new Error('host-executor: acquire timeout after 60000ms (in_flight=4/4, queued=1)')
  assert.equal(classifyFailure({ message: text, cause }).kind, 'capacity')
  assert.equal(classifyFailure({ message: text.repeat(4), cause }).kind, 'unknown')
})

test('bytes: views, offsets, other realms, a byte order mark, broken UTF-8, detached', () => {
  const text = JSON.stringify({ error: refusal })
  const bytes = new TextEncoder().encode(text)
  const within = new Uint8Array(bytes.length + 2)
  within.set(bytes, 1)
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  for (const form of [
    within.subarray(1, -1),
    new DataView(within.buffer, 1, bytes.length),
    shared,
    vm.runInNewContext('Uint8Array.from(bytes)', { bytes }),
    Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
    Buffer.from(text.replace('{"error"', '{"x":"?","error"').replace('?', '\xff'), 'latin1')
  ]) {
    assert.equal(classifyFailure(form).kind, 'capacity')
    assert.equal(classifyFailure({ status: 429, body: form }).kind, 'capacity')
  }
  const detached = bytes.slice()
  structuredClone(detached, { transfer: [detached.buffer] })
  unknown(detached, 'no message')
  unknown(new Uint8Array(), 'no message')
})

test('what is no object says itself', () => {
  for (const failure of [null, undefined, 429, NaN, true, 10n, Symbol('host-executor: acquire timeout')]) {
    unknown(failure, String(failure))
  }
  unknown('', 'no message')
  unknown({}, 'no message')
  unknown([], 'no message')
  unknown([refusal], 'no message')
  unknown(new Map([['type', 'executor_saturated']]), 'no message')
})

test('messages come back as they were', () => {
  const cut = 'the log ends in \ud83d'
  unknown(cut, cut)
  unknown(new Error(cut), cut)
  unknown(new Error('', { cause: new Error(cut) }), cut)
  assert.equal(classifyFailure({ status: 503, body: cut }).message, cut)
  assert.equal(classifyFailure({ status: 503 }).message, 'HTTP 503')
  assert.equal(classifyFailure({ status: 401, body: '{"error":{"message":"no"}}' }).message, 'no')
  const framed = 'bridgeExecutor: bridge 401: {"error":{"message":"no"}}'
  assert.equal(classifyFailure(new Error(framed)).message, framed)
})

test('other realms and classes, frozen and null-prototype objects', () => {
  class OtherError extends Error {}
  for (const failure of [
    Object.assign(new OtherError('x'), refusal),
    Object.freeze({ ...refusal }),
    Object.assign(Object.create(null), refusal),
    Object.create(refusal),
    vm.runInNewContext('Object.assign(new Error("x"), refusal)', { refusal }),
    vm.runInNewContext('new AggregateError([refusal, refusal])', { refusal }),
    vm.runInNewContext('({ response: { data: JSON.stringify({ error: refusal }) } })', { refusal }),
    Object.assign(() => {}, refusal),
    new Proxy(refusal, {})
  ]) {
    assert.equal(classifyFailure(failure).kind, 'capacity')
  }
  const abort = new AbortController()
  abort.abort()
  assert.equal(classifyFailure(abort.signal.reason).kind, 'aborted')
  assert.equal(classifyFailure({ cause: abort.signal.reason }).kind, 'aborted')
})

test('getters, Proxies and methods that throw are absent', () => {
  const boom = () => {
    throw new Error('boom')
  }
  const traps = new Proxy({}, { get: () => boom })
  const hostile = new Proxy(function () {}, traps)
  const { proxy: revoked, revoke } = Proxy.revocable({}, {})
  revoke()
  for (const failure of [
    hostile,
    new Proxy({}, traps),
    revoked,
    { message: hostile },
    { cause: revoked },
    { errors: revoked },
    { headers: revoked },
    { headers: hostile },
    { body: revoked },
    {
      get message() {
        return boom()
      }
    }
  ]) {
    unknown(failure, 'no message')
  }
  const odd = {
    ...refusal,
    get cause() {
      return boom()
    },
    headers: {
      get: boom,
      get 'retry-after'() {
        return boom()
      }
    },
    message: { toString: boom },
    status: Symbol('429'),
    in_flight: 4n,
    max: { valueOf: boom },
    reason: () => 'aborted'
  }
  assert.deepEqual(classifyFailure(odd).executor, { name: 'host', queued: 1 })
  const members = [refusal, refusal]
  Object.defineProperty(members, 1, { get: boom })
  assert.equal(classifyFailure({ errors: members }).kind, 'unknown')
  assert.equal(classifyFailure({ errors: [refusal, null] }).kind, 'unknown')
  assert.equal(classifyFailure({ errors: [refusal, JSON.stringify(refusal)] }).kind, 'capacity')
  assert.equal(classifyFailure({ capacity: new Boolean(true) }).kind, 'unknown')
})

test('cycles and depth end', { timeout: 60_000 }, () => {
  const chain = (length, end) => {
    let failure = end
    for (let at = 0; at < length; at++) failure = new Error('outer', { cause: failure })
    return failure
  }
  assert.equal(classifyFailure(chain(10, refusal)).kind, 'capacity')
  unknown(chain(11, refusal), 'outer')
  unknown(chain(10_000, refusal), 'outer')
  const self = new Error('self')
  self.cause = self
  self.errors = [self]
  self.response = { error: self }
  unknown(self, 'self')
  assert.equal(classifyFailure(Object.assign(self, { cause: refusal })).kind, 'capacity')
  // A getter that makes ever new objects.
  const endless = () => ({
    get cause() {
      return endless()
    },
    get errors() {
      return Array.from({ length: 50 }, endless)
    }
  })
  unknown(endless(), 'no message')
  const width = (length) => ({ errors: Array.from({ length }, () => refusal) })
  assert.equal(classifyFailure(width(100)).kind, 'capacity')
  assert.equal(classifyFailure(width(101)).kind, 'unknown')
  assert.equal(classifyFailure(width(1_000_000)).kind, 'unknown')
  const endlessList = new Proxy([], { get: (_, key) => (key === 'length' ? Infinity : refusal) })
  assert.equal(classifyFailure({ errors: endlessList }).kind, 'unknown')
})

test('large failures', { timeout: 60_000 }, () => {
  const keys = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key${at}`, at]))
  assert.equal(classifyFailure({ ...keys, ...refusal }).kind, 'capacity')
  assert.equal(classifyFailure(JSON.stringify({ ...keys, ...refusal })).kind, 'capacity')
  assert.equal(classifyFailure({ ...refusal, headers: { ...keys } }).kind, 'capacity')
  const mebibyte = 'x'.repeat(1 << 20)
  unknown(new Error(mebibyte), mebibyte)
  const prose = 'host-executor: acquire timeout after 60000ms (in_flight=4/4, queued=1)'
  assert.equal(classifyFailure(new Error(`${mebibyte}: ${prose}`)).kind, 'capacity')
  assert.equal(classifyFailure(`{"error":{"message":"${prose} ${mebibyte}`).kind, 'capacity')
})

test('Retry-After, wherever it stands', () => {
  const wait = (headers) => classifyFailure({ status: 429, headers }).retryAfterMs
  for (const headers of [
    { 'Retry-After': '7' },
    { 'RETRY-AFTER': 7 },
    { 'retry-after': ['7', '8'] },
    new Headers({ 'Retry-After': '7' }),
    new Map([['Retry-After', '7']]),
    [
      ['content-type', 'text/plain'],
      ['Retry-After', '7']
    ]
  ]) {
    assert.equal(wait(headers), 7000)
  }
  for (const headers of [
    undefined,
    null,
    7,
    'retry-after: 7',
    {},
    { 'retry-after': {} },
    { 'retry-after': 'soon' },
    new Map([[{}, 7]])
  ]) {
    assert.equal(wait(headers), undefined)
  }
  const { now } = Date
  try {
    Date.now = () => Date.UTC(2026, 7, 22, 12, 0, 0)
    assert.equal(wait({ 'retry-after': 'Sat, 22 Aug 2026 12:00:30 GMT' }), 30_000)
    assert.equal(wait({ 'retry-after': 'Sat, 22 Aug 2026 11:59:30 GMT' }), 0)
  } finally {
    Date.now = now
  }
  assert.equal(wait(new Response('', { headers: { 'retry-after': '7' } }).headers), 7000)
  const response = new Response('busy', { status: 503, headers: { 'retry-after': '7' } })
  assert.equal(classifyFailure(response).retryAfterMs, 7000)
})

test('what fetch and AbortSignal really throw', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${server.address().port}/`
  server.close()
  await once(server, 'close')
  assert.deepEqual(
    { ...classifyFailure(await fetch(url).catch((error) => error)) },
    {
      kind: 'bridge',
      capacity: false,
      retrySafe: true,
      message: 'fetch failed',
      code: 'ECONNREFUSED'
    }
  )
  const aborted = await fetch(url, { signal: AbortSignal.abort() }).catch((error) => error)
  assert.equal(classifyFailure(aborted).kind, 'aborted')
})

test('headers without an end, and a number of seconds without one', () => {
  const endless = {
    *[Symbol.iterator]() {
      for (;;) yield ['a', 1]
    }
  }
  assert.equal(classifyFailure({ status: 500, headers: endless }).status, 500)
  assert.equal(classifyFailure({ status: 429, headers: { get: () => 1e308 } }).retryAfterMs, undefined)
})

test('shared memory is copied, whatever the view says of its buffer', () => {
  const { asBytes } = createRequire(import.meta.url)('../lib/bytes.js')
  const shared = new Uint8Array(new SharedArrayBuffer(2))
  Object.defineProperty(shared, 'buffer', { value: new ArrayBuffer(8) })
  assert.notEqual(asBytes(shared), shared)
})
