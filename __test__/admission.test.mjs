// The worked cases in every shape of input, and the misuse of every argument.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import vm from 'node:vm'
import { bridgeAdmissionRefusal, bridgeCapacity } from '../index.js'
import { bytesOf, casesOf } from './cases.mjs'

const FULL = { executor: { in_flight: 4, max: 4 } }
const REFUSAL = 'bridge executor is full: in_flight 4 of max 4'

/** The body of a row in every shape that can carry it. */
function shapesOf(row) {
  const bytes = row.health_file ? bytesOf(row.health_file) : Buffer.from(row.health_text ?? JSON.stringify(row.health))
  const text = bytes.toString()
  const shapes = { text, bytes, 'a plain Uint8Array': new Uint8Array(bytes) }
  try {
    shapes.object = JSON.parse(text)
  } catch {
    // Not JSON: there is no object.
  }
  return shapes
}

test('every case, in every shape', () => {
  const rows = casesOf('admission.jsonl')
  assert.equal(rows.length, 144)
  for (const row of rows) {
    const intended = row.options ? { slots: row.slots, ...row.options } : row.slots
    // The URL belongs to the seam form; without one the text begins `bridge `.
    const expected = row.refusal?.replace(`bridge ${row.url} `, 'bridge ')
    for (const [shape, health] of Object.entries(shapesOf(row))) {
      assert.equal(bridgeAdmissionRefusal(health, intended), expected, `${row.id} as ${shape}: ${row.why}`)
    }
  }
})

test('capacity says what the refusal says', () => {
  for (const row of casesOf('admission.jsonl')) {
    for (const [shape, health] of Object.entries(shapesOf(row))) {
      for (let slots = 1; slots <= 9; slots += 1) {
        const { free, limiting, gates } = bridgeCapacity(health, { slots, ...row.options })
        const room = free === null || free >= slots
        const refusal = bridgeAdmissionRefusal(health, { slots, ...row.options })
        assert.equal(refusal === undefined, room, `${row.id} as ${shape} for ${slots}`)
        assert.equal(limiting, gates.find((gate) => gate.free === free)?.name, row.id)
        assert.equal(free, gates.length === 0 ? null : Math.min(...gates.map((gate) => gate.free)), row.id)
      }
    }
  }
})

test('capacity, whole', () => {
  assert.deepEqual(bridgeCapacity(bytesOf('captures/health-scoped-bulk-full-queued-2.json')), {
    free: 0,
    limiting: 'scoped-host executor bulk lane',
    gates: [
      {
        name: 'scoped-host executor bulk lane',
        active: 2,
        limit: 2,
        free: 0,
        queued: 2,
        acquireDeadlineMs: 1500
      },
      { name: 'scoped-host executor', active: 2, limit: 4, free: 2, queued: 2, acquireDeadlineMs: 1500 },
      { name: 'bulk admission', active: 4, limit: 6, free: 2 },
      { name: 'admission', active: 4, limit: 8, free: 4 }
    ]
  })
  assert.deepEqual(bridgeCapacity({ executor: { in_flight: 6, max: 1 } }), {
    free: 0,
    limiting: 'executor',
    gates: [{ name: 'executor', active: 6, limit: 1, free: 0 }]
  })
  for (const nothing of [null, undefined, '', 'x', {}, [], new Uint8Array()]) {
    assert.deepEqual(bridgeCapacity(nothing), { free: null, gates: [] })
  }
})

test('what reports nothing refuses nothing', () => {
  for (const nothing of [
    null,
    undefined,
    '',
    'null',
    '[]',
    '5',
    '"x"',
    {},
    [],
    new Map(),
    new Uint8Array(),
    Buffer.alloc(8)
  ]) {
    assert.equal(bridgeAdmissionRefusal(nothing), undefined)
    assert.equal(bridgeAdmissionRefusal(nothing, 4), undefined)
  }
})

test('a health that no body can be', () => {
  for (const [health, got] of [
    [5, '5'],
    [NaN, 'NaN'],
    [true, 'true'],
    [() => {}, '[Function (anonymous)]'],
    [Symbol('s'), 'Symbol(s)'],
    [1n, '1n']
  ]) {
    for (const ask of [bridgeAdmissionRefusal, bridgeCapacity]) {
      assert.throws(() => ask(health), {
        name: 'TypeError',
        code: 'ERR_INVALID_ARG_TYPE',
        message: `health must be a parsed /health body, its JSON text or its bytes, got ${got}`
      })
    }
  }
})

test('intended', () => {
  const intended = 'intended must be a positive safe integer or { slots, lane?, executor? }, got'
  const slots = 'intended slots must be a positive safe integer, got'
  const lane = `intended lane must be one of 'bulk', 'reserved', 'none', got`
  const executor = `intended executor must be one of 'host', 'scoped-host', 'none', got`
  for (const [value, name, message] of [
    [0, 'RangeError', `${slots} 0`],
    [-1, 'RangeError', `${slots} -1`],
    [1.5, 'RangeError', `${slots} 1.5`],
    [NaN, 'RangeError', `${slots} NaN`],
    [Infinity, 'RangeError', `${slots} Infinity`],
    [2 ** 53, 'RangeError', `${slots} 9007199254740992`],
    [2 ** 32 + 0.5, 'RangeError', `${slots} 4294967296.5`],
    [{ slots: 0 }, 'RangeError', `${slots} 0`],
    [{ slots: -1, lane: 'bulk' }, 'RangeError', `${slots} -1`],
    ['2', 'TypeError', `${intended} '2'`],
    [null, 'TypeError', `${intended} null`],
    [true, 'TypeError', `${intended} true`],
    [2n, 'TypeError', `${intended} 2n`],
    [() => 2, 'TypeError', `${intended} [Function (anonymous)]`],
    [{}, 'TypeError', `${intended} {}`],
    [[2], 'TypeError', `${intended} [ 2 ]`],
    [{ lane: 'bulk' }, 'TypeError', `${intended} { lane: 'bulk' }`],
    [new AbortController().signal, 'TypeError', `${intended} [AbortSignal]`],
    [new Proxy({}, {}), 'TypeError', `${intended} a Proxy`],
    [{ slots: '2' }, 'TypeError', `${slots} '2'`],
    [{ slots: null }, 'TypeError', `${slots} null`],
    [{ slots: 2n }, 'TypeError', `${slots} 2n`],
    [{ slots: 1, lane: 'fast' }, 'TypeError', `${lane} 'fast'`],
    [{ slots: 1, lane: 'Bulk' }, 'TypeError', `${lane} 'Bulk'`],
    [{ slots: 1, lane: null }, 'TypeError', `${lane} null`],
    [{ slots: 1, lane: 1 }, 'TypeError', `${lane} 1`],
    [{ slots: 1, executor: 'docker' }, 'TypeError', `${executor} 'docker'`],
    [{ slots: 1, executor: '' }, 'TypeError', `${executor} ''`],
    [{ slots: 1, executor: ['host'] }, 'TypeError', `${executor} [ 'host' ]`]
  ]) {
    const code = name === 'RangeError' ? 'ERR_OUT_OF_RANGE' : 'ERR_INVALID_ARG_TYPE'
    for (const ask of [bridgeAdmissionRefusal, bridgeCapacity]) {
      for (const health of [FULL, null, undefined, JSON.stringify(FULL), Buffer.from(JSON.stringify(FULL))]) {
        assert.throws(() => ask(health, value), { name, code, message }, message)
      }
    }
  }
  assert.equal(bridgeAdmissionRefusal({}, Number.MAX_SAFE_INTEGER), undefined)
  assert.equal(bridgeAdmissionRefusal(FULL, { slots: 1, lane: undefined, executor: undefined }), REFUSAL)
})

test('what is too large to be written whole is named all the same', () => {
  const got = (intended, text) =>
    assert.throws(() => bridgeAdmissionRefusal(FULL, intended), { name: 'TypeError', message: text })
  const lane = `intended lane must be one of 'bulk', 'reserved', 'none', got`
  // The engine ends the process over some hundred million escapes.
  got({ slots: 1, lane: `"'\`\\`.repeat(100_000_000) }, `${lane} ${`'${`"\\'\`\\\\`.repeat(20)}`.slice(0, 120)}…`)
  const intended = 'intended must be a positive safe integer or { slots, lane?, executor? }, got'
  got({ ['k'.repeat(100_000_000)]: 1 }, `${intended} [Object]`)
  got(Object.fromEntries(Array.from({ length: 65 }, (_, at) => [at, at])), `${intended} [Object]`)
  got(new Array(2 ** 32 - 1), `${intended} [Array]`)
})

test('what throws where it is to be written is named all the same', () => {
  const thrower = {
    get() {
      throw new Error('boo')
    }
  }
  for (const lane of [
    Object.defineProperty({}, Symbol.toStringTag, thrower),
    Object.defineProperty(new Error('x'), 'stack', thrower),
    Object.defineProperty(() => {}, 'name', thrower)
  ]) {
    assert.throws(() => bridgeAdmissionRefusal(FULL, { slots: 1, lane }), {
      name: 'TypeError',
      message: /^intended lane must be one of 'bulk', 'reserved', 'none', got (?!.*boo)/
    })
  }
})

test('a seam is no body', () => {
  assert.throws(() => bridgeCapacity({ bridgeUrl: 'http://127.0.0.1:1', bridgeBearer: 't0psecret' }), {
    name: 'TypeError',
    message: 'health must be a parsed /health body, its JSON text or its bytes, got a seam'
  })
  // Only a string makes a seam.
  assert.equal(bridgeAdmissionRefusal({ ...FULL, bridgeUrl: 5 }), REFUSAL)
})

test('what is still to be awaited or read is no body', () => {
  for (const unread of [
    Promise.resolve(FULL),
    { then() {} },
    new Response('{}'),
    new Blob([]),
    new Request('http://127.0.0.1')
  ]) {
    for (const ask of [bridgeAdmissionRefusal, bridgeCapacity]) {
      assert.throws(() => ask(unread), {
        name: 'TypeError',
        message:
          'health must be a parsed /health body, its JSON text or its bytes, got one that is still to be awaited or read'
      })
    }
  }
  assert.equal(bridgeAdmissionRefusal({ ...FULL, then: 'later', arrayBuffer: 5 }), REFUSAL)
})

test('a seam at the wrong place shows no bearer', () => {
  const seam = { bridgeUrl: 'http://127.0.0.1:9', bridgeBearer: 't0psecret' }
  const message = `intended must be a positive safe integer or { slots, lane?, executor? }, got { bridgeUrl: 'http://127.0.0.1:9', bridgeBearer: '<bearer>' }`
  for (const ask of [bridgeAdmissionRefusal, bridgeCapacity]) {
    assert.throws(() => ask({}, seam), { name: 'TypeError', message })
    assert.throws(() => ask(undefined, { seam }), { message: message.replace(/got .*/, 'got { seam: [Object] }') })
  }
})

test('bytes of every kind', () => {
  const bytes = Buffer.from(JSON.stringify(FULL))
  const shared = new SharedArrayBuffer(bytes.length)
  new Uint8Array(shared).set(bytes)
  const exact = new Uint8Array(bytes).buffer
  const padded = new Uint8Array(bytes.length + 8)
  padded.set(bytes, 4)
  for (const [what, value] of [
    ['Buffer', bytes],
    ['Uint8Array', new Uint8Array(bytes)],
    ['a part of a larger buffer', padded.subarray(4, 4 + bytes.length)],
    ['Uint8ClampedArray', new Uint8ClampedArray(bytes)],
    ['DataView', new DataView(exact)],
    ['ArrayBuffer', exact],
    ['SharedArrayBuffer', shared],
    ['a view of shared memory', new Uint8Array(shared)],
    ['another view of shared memory', new DataView(shared)],
    ['of another realm', vm.runInNewContext('(bytes) => new Uint8Array(bytes)')(bytes)]
  ]) {
    assert.equal(bridgeAdmissionRefusal(value), REFUSAL, what)
    assert.equal(bridgeCapacity(value).free, 0, what)
  }
  assert.equal(bridgeAdmissionRefusal(Object.setPrototypeOf(new Uint8Array(bytes), null)), REFUSAL, 'no prototype')
  const posing = Object.setPrototypeOf(new Float64Array(2), Uint8Array.prototype)
  assert.equal(bridgeAdmissionRefusal(posing), undefined, 'another array under its prototype')
  const gone = new Uint8Array(bytes)
  structuredClone(gone.buffer, { transfer: [gone.buffer] })
  assert.equal(bridgeAdmissionRefusal(gone), undefined, 'a view of a detached buffer')
  assert.equal(bridgeAdmissionRefusal(gone.buffer), undefined, 'a detached buffer')
})

test('text is read as the characters that it has', () => {
  // As latin1 the first character here would be a quote, and the string after it a refusal.
  const forged = JSON.stringify({ x: 'Ģ,Ģexecutor":{"in_flight":4,"max":4},"yĢ:Ģ' })
  assert.equal(bridgeAdmissionRefusal(forged), undefined)
  for (const text of ['é', 'Ģ', '漢', '😀', '\ud83d', '\udc00', '\ud83d'.repeat(3), '\u0000']) {
    const body = `{"x":${JSON.stringify(text)},"executor":{"in_flight":4,"max":4}}`
    assert.equal(bridgeAdmissionRefusal(body), REFUSAL, JSON.stringify(text))
    const unescaped = `{"x":"${text === '\u0000' ? '' : text}","executor":{"in_flight":4,"max":4}}`
    assert.equal(bridgeAdmissionRefusal(unescaped), REFUSAL, JSON.stringify(text))
  }
  const long = `{"x":"${'漢'.repeat(3_000_000)}","executor":{"in_flight":4,"max":4}}`
  assert.equal(bridgeAdmissionRefusal(long), REFUSAL)
  assert.equal(bridgeAdmissionRefusal(JSON.stringify(FULL)), REFUSAL, 'after a large one')
})

test('text is read whole, whatever the text before it', () => {
  const full = '"executor":{"in_flight":4,"max":4}'
  // Of each there are three: in as many bytes as the text has characters, UTF-8 then ends between or within characters.
  const texts = ['x', 'é', '漢', '😀', '\ud83d'].flatMap((character) =>
    ['', ' ', '  '].flatMap((space) => [
      [`{${space}${full},"x":"${character.repeat(40)}"}`, REFUSAL],
      [`{${space}"x":"${character.repeat(40)}",${full}}`, REFUSAL],
      [`{${space}"x":"${character.repeat(40)}",${full}`, undefined],
      // In as many bytes there is no room for the last character: what comes before it alone would be a body.
      [`{${space}${full}}${character}`, undefined]
    ])
  )
  for (const [before] of texts) {
    for (const [text, refusal] of texts) {
      bridgeAdmissionRefusal(before)
      assert.equal(bridgeAdmissionRefusal(text), refusal, `${text} after ${before}`)
      assert.equal(bridgeAdmissionRefusal(Buffer.from(text)), refusal, text)
    }
  }
})

test('what throws is unreported, and only that', () => {
  const traps = Object.fromEntries(
    Reflect.ownKeys(Reflect).map((trap) => [
      trap,
      () => {
        throw new Error(`trap ${String(trap)}`)
      }
    ])
  )
  const hostile = new Proxy({}, traps)
  const { proxy: revoked, revoke } = Proxy.revocable({}, {})
  revoke()
  const thrower = {
    get field() {
      throw new Error('getter')
    }
  }
  const throwing = (object, key) =>
    Object.defineProperty(object, key, Object.getOwnPropertyDescriptor(thrower, 'field'))
  assert.equal(bridgeAdmissionRefusal(hostile), undefined)
  assert.equal(bridgeAdmissionRefusal(revoked), undefined)
  assert.equal(
    bridgeAdmissionRefusal({ executor: hostile, admission: { active: 8, maxActive: 8 } }),
    'bridge admission is full: active 8 of maxActive 8'
  )
  assert.equal(bridgeAdmissionRefusal(throwing({ ...FULL }, 'admission')), REFUSAL)
  assert.equal(bridgeAdmissionRefusal({ executor: throwing({ in_flight: 4, max: 4 }, 'queued') }), REFUSAL)
  assert.equal(bridgeAdmissionRefusal({ executor: throwing({ in_flight: 4, max: 4 }, 'max') }), undefined)
  assert.equal(bridgeAdmissionRefusal(throwing({ ...FULL }, 'bridgeUrl')), REFUSAL)
})

test('a body that asks about another body while it is read', () => {
  const outer = {
    executor: {
      in_flight: 4,
      max: 4,
      get queued() {
        assert.equal(bridgeAdmissionRefusal({ executor: { in_flight: 0, max: 9, queued: 5 } }), undefined)
        return 1
      }
    }
  }
  assert.equal(bridgeAdmissionRefusal(outer), `${REFUSAL} (queued 1)`)
})

test('objects of every kind', () => {
  const bare = Object.assign(Object.create(null), { executor: Object.assign(Object.create(null), FULL.executor) })
  const inherited = Object.create(FULL)
  class Health {
    #executor = FULL.executor
    get executor() {
      return this.#executor
    }
  }
  for (const [what, health] of [
    ['null prototype', bare],
    ['inherited', inherited],
    ['a class with getters', new Health()],
    ['frozen', Object.freeze({ executor: Object.freeze({ ...FULL.executor }) })],
    ['of another realm', vm.runInNewContext(`(${JSON.stringify(FULL)})`)]
  ]) {
    assert.equal(bridgeAdmissionRefusal(health), REFUSAL, what)
  }
  for (const wrong of ['4', true, null, [4], { valueOf: () => 4 }, new Number(4), 4n, NaN, Infinity, -4]) {
    assert.equal(bridgeAdmissionRefusal({ executor: { in_flight: wrong, max: 4 } }), undefined)
  }
})

test('who waits at a gate is in the gate', () => {
  const busy = { executor: { in_flight: 0, max: 2, queued: 1, scoped_host: { in_flight: 1, max: 8, acquires: 1 } } }
  assert.equal(bridgeAdmissionRefusal(busy, 3), 'bridge executor can never fit 3: in_flight 0 of max 2 (queued 1)')
  const idle = { executor: { in_flight: 0, max: 2, queued: 0, scoped_host: { in_flight: 0, max: 1, queued: 1 } } }
  assert.equal(
    bridgeAdmissionRefusal(idle, { slots: 2, executor: 'scoped-host' }),
    'bridge scoped-host executor can never fit 2: in_flight 0 of max 1 (queued 1)'
  )
})
