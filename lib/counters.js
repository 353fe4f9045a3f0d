// Written by scripts/write-counters.mjs from the table in src/health.rs. Do not edit.

'use strict'

// Without a prototype, and not as a literal: that would be a dictionary, which is slow to ask.
const NOTHING = Object.freeze(Object.setPrototypeOf({}, null))

const objectOf = (value) => (typeof value === 'object' && value !== null ? value : NOTHING)
const numberOf = (value) => (typeof value === 'number' ? value : NaN)

/**
 * Puts the counters of a parsed body into `counters`, NaN where there is no number. No code of the body's own runs
 * between the first store and the end.
 */
function readCounters(body, counters) {
  const executor = objectOf(body.executor)
  const scoped_host = objectOf(executor.scoped_host)
  const admission = objectOf(body.admission)
  const activeByClass = objectOf(admission.activeByClass)

  const at0 = numberOf(executor.in_flight)
  const at1 = numberOf(executor.max)
  const at2 = numberOf(executor.queued)
  const at3 = numberOf(executor.acquire_deadline_ms)
  const at4 = numberOf(scoped_host.in_flight)
  const at5 = numberOf(scoped_host.max)
  const at6 = numberOf(scoped_host.queued)
  const at7 = numberOf(scoped_host.acquire_deadline_ms)
  const at8 = numberOf(scoped_host.acquires)
  const at9 = numberOf(scoped_host.bulk_in_flight)
  const at10 = numberOf(scoped_host.bulk_max)
  const at11 = numberOf(admission.active)
  const at12 = numberOf(admission.maxActive)
  const at13 = numberOf(admission.bulkMaxActive)
  const at14 = numberOf(activeByClass.bulk)

  counters[0] = at0
  counters[1] = at1
  counters[2] = at2
  counters[3] = at3
  counters[4] = at4
  counters[5] = at5
  counters[6] = at6
  counters[7] = at7
  counters[8] = at8
  counters[9] = at9
  counters[10] = at10
  counters[11] = at11
  counters[12] = at12
  counters[13] = at13
  counters[14] = at14
}

module.exports = { NOTHING, objectOf, numberOf, readCounters }
