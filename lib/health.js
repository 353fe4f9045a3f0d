'use strict'

const native = require('./native.js')
const { isBytes, asBytes } = require('./bytes.js')
const { NOTHING, objectOf, numberOf, readCounters } = require('./counters.js')
const { slotsOf, hintsOf } = require('./intended.js')

const PATHS = native.counterPaths()

const counters = new Float64Array(PATHS.length)
const counterBytes = new Uint8Array(counters.buffer)

/** The addon's function for the shape in which the body came. */
function byShape(ofText, ofBytes, ofCounters) {
  return (health, intended) => {
    const slots = slotsOf(intended)
    const hints = hintsOf(intended)
    switch (typeof health) {
      case 'string':
        return ofText(health, slots, hints)
      case 'object':
        if (isBytes(health)) return ofBytes(asBytes(health), slots, hints)
        if (isUnread(health)) native.throwMisuse('health', 'one that is still to be awaited or read')
        break
      case 'undefined':
        break
      default:
        require('./misuse.js').misuse('health', health)
    }
    read(health ?? NOTHING)
    return ofCounters(counterBytes, slots, hints)
  }
}

/** A promise, a response or a blob. Taken for a body it would report nothing, and so admit everything. */
function isUnread(value) {
  try {
    return typeof value.then === 'function' || typeof value.arrayBuffer === 'function'
  } catch {
    return false
  }
}

function read(body) {
  try {
    readCounters(body, counters)
  } catch {
    counters.set(PATHS.map((path) => numberOf(path.reduce(guardedly, body))))
  }
}

/** A getter or a Proxy that throws leaves its field unreported, and only that. */
function guardedly(object, key) {
  try {
    return objectOf(object)[key]
  } catch {
    return undefined
  }
}

module.exports = {
  refusalOfHealth: byShape(native.refusalOfText, native.refusalOfBytes, native.refusalOfCounters),
  capacityOfHealth: byShape(native.capacityOfText, native.capacityOfBytes, native.capacityOfCounters)
}
