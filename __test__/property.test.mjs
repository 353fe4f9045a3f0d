// Any values at all: what is thrown is documented, what is decided does not depend on the form of the body.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { bridgeAdmissionRefusal, bridgeCapacity, classifyFailure } from '../index.js'

const seed = Number(process.env.FC_SEED ?? 20_260_822)
const numRuns = Number(process.env.FC_RUNS ?? 2_000)
console.log(`# fast-check: FC_SEED=${seed} FC_RUNS=${numRuns}`)

const check = (...args) => {
  const property = args.pop()
  fc.assert(
    fc.property(...args, (...values) => property(...values.map(made))),
    { seed, numRuns }
  )
}

const KINDS = new Set(['capacity', 'provider', 'request', 'bridge', 'aborted', 'unknown'])
const GATES = ['executor', 'scoped-host executor bulk lane', 'scoped-host executor', 'bulk admission', 'admission']
const REFUSAL = new RegExp(`^bridge (${GATES.join('|')}) (is full|can never fit \\d+|has no room for \\d+): `)

/** What stands where a counter should, and more of what really does. */
const counter = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 9 }) },
  fc.double(),
  fc.constantFrom(-0, 2 ** 53, 2 ** 53 + 2, 1e21, 5e-324, Infinity, NaN, null, '4', true, [4], { max: 4 })
)
const block = (names) => fc.record(Object.fromEntries(names.map((name) => [name, counter])), { requiredKeys: [] })
const SEMAPHORE = ['in_flight', 'max', 'queued', 'acquire_deadline_ms', 'acquires']
const merged = (...parts) => fc.tuple(...parts).map((parts) => Object.assign({}, ...parts))
const optional = (arbitrary) => fc.option(arbitrary, { nil: undefined, freq: 8 })

const body = fc.record(
  {
    status: fc.string(),
    backends: fc.anything(),
    executor: optional(
      merged(
        block(SEMAPHORE),
        fc.record({ scoped_host: optional(block([...SEMAPHORE, 'bulk_in_flight', 'bulk_max'])) }, { requiredKeys: [] })
      )
    ),
    admission: optional(
      merged(
        block(['active', 'maxActive', 'bulkMaxActive']),
        fc.record({ activeByClass: optional(block(['bulk', 'reserved'])) }, { requiredKeys: [] })
      )
    )
  },
  { requiredKeys: ['executor', 'admission'] }
)

const slots = fc.oneof(
  fc.integer({ min: 1, max: 9 }),
  fc.maxSafeInteger().map((n) => Math.abs(n) || 1)
)
const intended = fc.oneof(
  fc.constant(undefined),
  slots,
  fc.record(
    {
      slots,
      lane: fc.constantFrom('bulk', 'reserved', 'none'),
      executor: fc.constantFrom('host', 'scoped-host', 'none')
    },
    { requiredKeys: ['slots'] }
  )
)

/** fast-check cannot hold a hostile object itself, so it holds how to make one. */
class Recipe {
  constructor(make) {
    this.make = make
  }
}

/** The value of a recipe, or the record with its recipes carried out. */
function made(value) {
  if (value instanceof Recipe) return value.make()
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, value]) => [key, made(value)]))
}

/** What a trap or a getter of the caller's own throws. */
class Trap extends Error {}

const fail = (why) => {
  throw new Trap(why)
}

const isOwn = (error) => error instanceof Trap || (error instanceof TypeError && /revoked/.test(error.message))

/** As hostile as objects get: throwing and lying traps, getters, holes, no prototype or somebody else's. */
const hostile = fc.oneof(
  fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
    withObjectString: true
  }),
  fc
    .tuple(fc.object(), fc.constantFrom('get', 'has', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor'))
    .map(([target, trap]) => new Recipe(() => new Proxy(target, { [trap]: () => fail(trap) }))),
  fc.anything().map((lie) => new Recipe(() => new Proxy({}, { get: () => lie }))),
  fc.anything().map((lie) => new Recipe(() => new Proxy(() => {}, { get: () => lie }))),
  fc.tuple(fc.string(), fc.anything()).map(([key, value]) => new Recipe(() => Object.create({ [key]: value }))),
  fc
    .constantFrom('executor', 'admission', 'message', 'cause', 'errors', 'headers', 'slots', 'lane', 'bridgeUrl')
    .map((key) => new Recipe(() => Object.defineProperty({}, key, { enumerable: true, get: () => fail(key) }))),
  fc.object().map(
    (target) =>
      new Recipe(() => {
        const { proxy, revoke } = Proxy.revocable(target, {})
        revoke()
        return proxy
      })
  ),
  fc
    .constantFrom(
      () => Symbol('s'),
      () => () => {},
      () => class {},
      () => 10n,
      () => new Date(NaN),
      () => new WeakMap(),
      () => new Error('e'),
      () => Promise.resolve(1),
      () => globalThis,
      () => Object.prototype,
      () => Array(4_294_967_295),
      () => new SharedArrayBuffer(8),
      () => new DataView(new ArrayBuffer(2)),
      () => structuredClone(new ArrayBuffer(8), { transfer: [] })
    )
    .map((make) => new Recipe(make))
)

/** Runs it; what it throws has to be the misuse that is documented, or what is excused. */
function documented(run, excused = () => false) {
  try {
    return { answer: run() }
  } catch (error) {
    if (excused(error)) return { error }
    assert.ok(
      (error instanceof TypeError && error.code === 'ERR_INVALID_ARG_TYPE') ||
        (error instanceof RangeError && error.code === 'ERR_OUT_OF_RANGE'),
      inspect(error)
    )
    assert.match(error.message, /, got /)
    return { error }
  }
}

const FULL = { executor: { in_flight: 4, max: 4 } }
const isRefusal = (answer) => answer === undefined || REFUSAL.test(answer)

test('every form of a body gives one answer', () => {
  check(body, intended, (body, intended) => {
    const text = JSON.stringify(body)
    const parsed = JSON.parse(text)
    const bytes = Buffer.from(text)
    const forms = [parsed, text, bytes, new Uint8Array(bytes), ` ${text}\n`]
    const refusals = forms.map((form) => bridgeAdmissionRefusal(form, intended))
    const capacities = forms.map((form) => bridgeCapacity(form, intended))
    for (const at of forms.keys()) {
      assert.equal(refusals[at], refusals[0])
      assert.deepEqual(capacities[at], capacities[0])
    }
    assert.ok(isRefusal(refusals[0]), refusals[0])
    // As it was before JSON, with its Infinity and NaN, it says the same where they are no counters.
    assert.equal(bridgeAdmissionRefusal(body, intended), refusals[0])

    const { free, limiting, gates } = capacities[0]
    const wanted = intended?.slots ?? intended ?? 1
    assert.equal(refusals[0] === undefined, free === null || free >= wanted)
    assert.equal(free, gates.length === 0 ? null : Math.min(...gates.map((gate) => gate.free)))
    assert.equal(limiting, gates.find((gate) => gate.free === free)?.name)
    for (const gate of gates) assert.equal(gate.free, Math.max(0, gate.limit - gate.active))
    assert.deepEqual(
      gates.map(({ name }) => name),
      GATES.filter((name) => gates.some((gate) => gate.name === name))
    )
  })
})

test('text is read as JSON.parse reads it', () => {
  const mutated = fc
    .tuple(
      body,
      fc.array(
        fc.tuple(
          fc.nat(),
          fc.constantFrom(
            '"',
            '{',
            '}',
            '[',
            ']',
            ',',
            ':',
            '\\',
            '\n',
            '\t',
            '\0',
            '\x7f',
            '\ufeff',
            '\ud83d',
            '\\ud83d',
            '\\u0041',
            '-',
            '1e400',
            'null',
            'nul',
            'true',
            '/**/',
            ' ',
            '\u00a0',
            '\u2028',
            '0',
            '.',
            'e5',
            '"max":1,',
            '"in_flight":4,',
            '"executor":{"max":1,"in_flight":1},'
          )
        ),
        { maxLength: 3 }
      )
    )
    .map(([body, edits]) =>
      edits.reduce((text, [at, edit]) => {
        const place = at % (text.length + 1)
        return text.slice(0, place) + edit + text.slice(place)
      }, JSON.stringify(body))
    )
  check(mutated, intended, (text, intended) => {
    let parsed
    try {
      parsed = JSON.parse(text)
    } catch {}
    const expected = bridgeAdmissionRefusal(typeof parsed === 'object' ? parsed : undefined, intended)
    assert.equal(bridgeAdmissionRefusal(text, intended), expected)
    // What UTF-8 cannot hold becomes U+FFFD, which no key or number has.
    assert.equal(bridgeAdmissionRefusal(Buffer.from(text), intended), expected)
  })
})

test('any value for a body', () => {
  check(fc.oneof(hostile, body), intended, (health, intended) => {
    const refusal = documented(() => bridgeAdmissionRefusal(health, intended))
    // A string for its bridgeUrl makes it a seam, which is asked for elsewhere.
    if (refusal.answer instanceof Promise) return void refusal.answer.catch(() => {})
    assert.ok(refusal.error ?? isRefusal(refusal.answer))
    const capacity = documented(() => bridgeCapacity(health, intended))
    assert.equal(capacity.error?.message, refusal.error?.message)
  })
})

test('any value for what is intended', () => {
  const parts = fc.record({ slots: fc.double(), lane: hostile, executor: hostile })
  check(fc.oneof(hostile, fc.double(), parts), (intended) => {
    const { answer, error } = documented(() => bridgeAdmissionRefusal(FULL, intended), isOwn)
    assert.ok(error ?? REFUSAL.test(answer))
  })
})

test('any failure is classified', () => {
  const words = fc.constantFrom(
    'capacity refusal',
    'upstream',
    'executor_saturated',
    'admission_rejected',
    'bridge 502: {"error":',
    'AbortError',
    'host-executor: acquire timeout after 5ms (in_flight=4/4, queued=1)',
    'ECONNREFUSED',
    'data: {}\n\n'
  )
  const shape = fc.dictionary(
    fc.constantFrom(
      'name',
      'message',
      'type',
      'code',
      'status',
      'capacity',
      'error',
      'cause',
      'errors',
      'body',
      'headers',
      'response',
      'event',
      'executor',
      'reason',
      'retry_after_ms'
    ),
    fc.oneof(words, hostile, fc.boolean(), fc.integer())
  )
  check(fc.oneof(hostile, shape, words, fc.string({ unit: 'binary' }), fc.uint8Array()), (failure) => {
    const answer = classifyFailure(failure)
    assert.ok(KINDS.has(answer.kind))
    assert.equal(answer.capacity, answer.kind === 'capacity')
    assert.equal(typeof answer.message, 'string')
    assert.ok(!answer.retrySafe || answer.capacity || answer.kind === 'bridge')
    if (answer.capacity) assert.match(answer.message, /^capacity refusal, not a provider failure: /)
  })
})

test("any value for the seam's parts rejects as documented, or asks nobody", async () => {
  const part = (known) => fc.option(fc.oneof(hostile, known), { nil: undefined })
  // No port of this URL answers, and a remote sandbox is not asked for.
  const seam = fc.record({
    bridgeUrl: fc.oneof(fc.string(), fc.webUrl({ validSchemes: ['ftp', 'file'] }), fc.constant('http://127.0.0.1:1')),
    bridgeBearer: part(fc.string({ unit: 'binary' })),
    model: part(fc.constantFrom('sandbox/x', 'gemini/x', ''))
  })
  const options = part(
    fc.record(
      { intended: part(intended), timeoutMs: part(fc.oneof(fc.constant(50), fc.double())) },
      { requiredKeys: [] }
    )
  )
  const signal = fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, hostile)
  await fc.assert(
    fc.asyncProperty(seam, signal, options, async (...values) => {
      const answer = bridgeAdmissionRefusal(...values.map(made))
      assert.ok(answer instanceof Promise)
      const [{ status, value, reason }] = await Promise.allSettled([answer])
      if (status === 'fulfilled') assert.equal(value, undefined)
      else if (reason?.name !== 'AbortError')
        documented(() => {
          throw reason
        }, isOwn)
    }),
    { seed, numRuns: Math.min(numRuns, 1_000) }
  )
})
