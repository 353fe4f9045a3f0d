// The glue between Rust and JavaScript: it outlives a panic, and whatever it is called with.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { buildAddon } from '../scripts/cargo.mjs'

const native = createRequire(import.meta.url)('../lib/native.js')

const BULK = 0
const UNKNOWN_EXECUTOR = 0
const HINTS = BULK + UNKNOWN_EXECUTOR

test('the process outlives a panic', () => {
  const library = buildAddon(['build', '--quiet', '--features', 'panic-probe'])
  const script = `
    const addon = { exports: {} }
    process.dlopen(addon, ${JSON.stringify(library)})
    try {
      addon.exports.panicProbe()
    } catch (error) {
      console.log(error instanceof Error, error.message)
    }
    console.log(addon.exports.lanes().join())`
  const printed = execFileSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore']
  })
  assert.equal(printed, 'true the probe panicked\nbulk,reserved,none\n')
})

/** What the face never hands over, and what the glue says of it. */
const NEVER = [
  ['refusalOfText', [1, 1, HINTS], 'Node-API status 3'],
  ['refusalOfText', [undefined, 1, HINTS], 'Node-API status 3'],
  ['refusalOfText', ['{}', '1', HINTS], 'Node-API status 6'],
  ['refusalOfText', ['{}', 1, 999], 'hints that the face never makes'],
  ['refusalOfText', ['{}', 1, -1], 'hints that the face never makes'],
  ['refusalOfText', ['{}', 1], 'Node-API status 6'],
  ['refusalOfText', [], 'Node-API status 6'],
  ['refusalOfBytes', ['{}', 1, HINTS], 'Node-API status 1'],
  ['refusalOfBytes', [new DataView(new ArrayBuffer(8)), 1, HINTS], 'Node-API status 1'],
  ['refusalOfBytes', [new Uint16Array(4), 1, HINTS], 'an array of another type than the face makes'],
  ['refusalOfBytes', [new Uint8Array(4), 1, HINTS, 5], 'Node-API status 3'],
  ['capacityOfCounters', [new Float64Array(15), 1, HINTS], 'an array of another type than the face makes'],
  ['executorOfModel', [null], 'Node-API status 3'],
  ['throwMisuse', ['nothing', 'x'], 'a misuse that the face never names'],
  ['classifyEvents', ['no list', 0], 'Node-API status 8'],
  ['classifyEvents', [[{}], 0], 'Node-API status 7'],
  ['classifyEvents', [[], 'now'], 'Node-API status 6']
]

for (const [name, values, message] of NEVER) {
  test(`${name} of what the face never hands over: ${message}`, () => {
    assert.throws(() => native[name](...values), { name: 'Error', message })
  })
}

test('no value crashes any function of the glue', () => {
  const circle = []
  circle.push(circle)
  const { proxy, revoke } = Proxy.revocable([], {})
  revoke()
  const detached = new Uint8Array(8)
  structuredClone(detached.buffer, { transfer: [detached.buffer] })
  const odd = [undefined, null, true, -0, NaN, 2 ** 53, 1n, 'x\ud800', Symbol('s'), () => {}, {}, [], circle, proxy]
  const values = [...odd, new Proxy({}, {}), detached, new Uint8Array(new SharedArrayBuffer(8)), new Date(NaN)]
  let calls = 0
  for (const name of Object.keys(native)) {
    for (const first of values) {
      for (const second of values) {
        try {
          native[name](first, second, 0, first)
        } catch (error) {
          assert.ok(error instanceof Error, name)
        }
        calls++
      }
    }
  }
  assert.equal(calls, Object.keys(native).length * values.length ** 2)
})

test('an array whose elements throw gives their own error', () => {
  const thrown = new Error('from a getter')
  const events = Object.defineProperty([0], 0, {
    get() {
      throw thrown
    }
  })
  assert.throws(
    () => native.classifyEvents(events, 0),
    (error) => error === thrown
  )
})

test('a refusal keeps every character of the URL, NUL and all', () => {
  const body = Buffer.from('{"executor":{"in_flight":4,"max":4}}')
  assert.equal(
    native.refusalOfBytes(body, 1, HINTS, 'http://a\0b/é😀'),
    'bridge http://a\0b/é😀 executor is full: in_flight 4 of max 4'
  )
  assert.throws(() => native.throwMisuse('lane', "'a\0b'"), {
    name: 'TypeError',
    code: 'ERR_INVALID_ARG_TYPE',
    message: "intended lane must be one of 'bulk', 'reserved', 'none', got 'a\0b'"
  })
})
