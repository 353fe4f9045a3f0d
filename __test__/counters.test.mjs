// The generated reading of a parsed body.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { countersModule } from '../scripts/write-counters.mjs'

const require = createRequire(import.meta.url)
const { counterPaths } = require('../lib/native.js')
const { readCounters } = require('../lib/counters.js')

/** A body with one value, at the end of a path. */
const bodyOf = (path, value) => path.reduceRight((inner, key) => ({ [key]: inner }), value)

test('lib/counters.js is what scripts/write-counters.mjs writes for the table in Rust', () => {
  const written = readFileSync(new URL('../lib/counters.js', import.meta.url), 'utf8')
  assert.equal(written, countersModule(counterPaths()))
})

test('every counter arrives at its place, and leaves no other behind', () => {
  const counters = new Float64Array(counterPaths().length)
  counterPaths().forEach((path, place) => {
    readCounters(bodyOf(path, 7), counters)
    const expected = counterPaths().map((_, other) => (other === place ? 7 : NaN))
    assert.deepEqual(Array.from(counters), expected, path.join('.'))
  })
})

test('what is no number is unreported, and a prototype of the realm reports nothing', () => {
  const counters = new Float64Array(counterPaths().length)
  const nothing = counterPaths().map(() => NaN)
  counterPaths().forEach((path) => {
    for (const value of ['7', true, null, [7], { valueOf: () => 7 }, 7n]) {
      readCounters(bodyOf(path, value), counters)
      assert.deepEqual(Array.from(counters), nothing, path.join('.'))
    }
  })
  Object.prototype.max = 7
  try {
    readCounters({}, counters)
    assert.deepEqual(Array.from(counters), nothing)
  } finally {
    delete Object.prototype.max
  }
})

test('a call in a getter of the body disturbs nothing', () => {
  const { bridgeAdmissionRefusal } = require('../index.js')
  const full = { executor: { in_flight: 4, max: 4 } }
  const asking = {
    get executor() {
      return { in_flight: 1, max: 4 }
    },
    get admission() {
      assert.equal(bridgeAdmissionRefusal(full), 'bridge executor is full: in_flight 4 of max 4')
      return { active: 8, maxActive: 8 }
    }
  }
  assert.equal(bridgeAdmissionRefusal(asking), 'bridge admission is full: active 8 of maxActive 8')
})
