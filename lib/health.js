'use strict'

const { isAnyArrayBuffer, isSharedArrayBuffer, isUint8Array } = require('node:util').types
const native = require('./native.js')
const { NOTHING, objectOf, numberOf, readCounters } = require('./counters.js')
const { slotsOf, hintsOf } = require('./intended.js')
const { misuse } = require('./misuse.js')

const PATHS = native.counterPaths()

/** A view's buffer as it is, whatever its own properties say. */
const { get: bufferOf } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'buffer')

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
        if (ArrayBuffer.isView(health) || isAnyArrayBuffer(health)) return ofBytes(asBytes(health), slots, hints)
        if (isUnread(health)) native.throwMisuse('health', 'one that is still to be awaited or read')
        break
      case 'undefined':
        break
      default:
        misuse('health', health)
    }
    read(health ?? NOTHING)
    return ofCounters(counterBytes, slots, hints)
  }
}

/** A `Uint8Array` with the bytes. Shared memory is copied, since other threads may write there meanwhile. */
function asBytes(bytes) {
  const view = viewOf(bytes)
  return isSharedArrayBuffer(bufferOf.call(view)) ? new Uint8Array(view) : view
}

function viewOf(bytes) {
  // By what it is: its prototype may say anything.
  if (isUint8Array(bytes)) return bytes
  try {
    if (!ArrayBuffer.isView(bytes)) return new Uint8Array(bytes)
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  } catch {
    // Detached: there is nothing in it.
    return new Uint8Array()
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
