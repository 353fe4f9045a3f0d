// Run where the package was installed: the incident's body gives its exact text, by import and by require.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import * as face from 'bridge-admission'

const require = createRequire(import.meta.url)
const { bridgeAdmissionRefusal, bridgeCapacity, classifyFailure } = face

const incident = {
  admission: { active: 2, maxActive: 8, bulkMaxActive: 6, activeByClass: { reserved: 0, bulk: 2 } },
  executor: { in_flight: 2, max: 4, queued: 0, acquire_deadline_ms: 60000 }
}
const text = JSON.stringify(incident)
const refusal = 'bridge executor has no room for 4: in_flight 2 of max 4 (queued 0, acquire deadline 60000 ms)'
const saturated = { error: { type: 'executor_saturated', capacity: true, message: 'no slot' } }

assert.deepEqual(Object.keys(require('bridge-admission')).sort(), [
  'bridgeAdmissionRefusal',
  'bridgeCapacity',
  'classifyFailure'
])
assert.equal(require('bridge-admission').bridgeAdmissionRefusal, bridgeAdmissionRefusal)
for (const body of [incident, text, new TextEncoder().encode(text)]) {
  assert.equal(bridgeAdmissionRefusal(body, 4), refusal)
  assert.equal(bridgeAdmissionRefusal(body, 2), undefined)
  assert.equal(bridgeCapacity(body).free, 2)
}
assert.equal(classifyFailure({ status: 429, body: JSON.stringify(saturated) }).kind, 'capacity')
assert.throws(() => bridgeAdmissionRefusal(incident, 0), { name: 'RangeError', code: 'ERR_OUT_OF_RANGE' })
console.log('smoke passed')
