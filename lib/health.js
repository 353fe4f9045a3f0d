'use strict'

const { isAnyArrayBuffer } = require('node:util').types
const native = require('./native.js')
const { slotsOf, hintsOf } = require('./intended.js')
const { misuse } = require('./misuse.js')

const PATHS = native.counterPaths()
const BODY = tree(PATHS)

/** A call in a getter of the body must not find the array of the call around it. */
const spare = []

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
        break
      case 'undefined':
        break
      default:
        misuse('health', health)
    }
    const counters = spare.pop() ?? new Float64Array(PATHS.length)
    counters.fill(NaN)
    if (health) read(health, counters)
    try {
      return ofCounters(counters, slots, hints)
    } finally {
      spare.push(counters)
    }
  }
}

function asBytes(bytes) {
  if (bytes instanceof Uint8Array) return bytes
  return ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new Uint8Array(bytes)
}

/** The paths as a tree: the counters of an object by their key and place, and the objects in it. */
function tree(paths) {
  const root = { counters: [], objects: new Map() }
  paths.forEach((path, place) => {
    let node = root
    for (const key of path.slice(0, -1)) {
      if (!node.objects.has(key)) node.objects.set(key, { counters: [], objects: new Map() })
      node = node.objects.get(key)
    }
    node.counters.push({ key: path.at(-1), place })
  })
  const settled = ({ counters, objects }) => ({
    counters,
    objects: Array.from(objects, ([key, node]) => ({ key, node: settled(node) }))
  })
  return settled(root)
}

function read(body, counters) {
  try {
    fill(body, BODY, counters, plainly)
  } catch {
    counters.fill(NaN)
    fill(body, BODY, counters, guardedly)
  }
}

function fill(object, node, counters, valueOf) {
  for (const { key, place } of node.counters) {
    const value = valueOf(object, key)
    if (typeof value === 'number') counters[place] = value
  }
  for (const { key, node: inner } of node.objects) {
    const value = valueOf(object, key)
    if (typeof value === 'object' && value !== null) fill(value, inner, counters, valueOf)
  }
}

const plainly = (object, key) => object[key]

/** A getter or a Proxy that throws leaves its field unreported, and only that. */
function guardedly(object, key) {
  try {
    return object[key]
  } catch {
    return undefined
  }
}

module.exports = {
  refusalOfHealth: byShape(native.refusalOfText, native.refusalOfBytes, native.refusalOfCounters),
  capacityOfHealth: byShape(native.capacityOfText, native.capacityOfBytes, native.capacityOfCounters)
}
