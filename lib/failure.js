'use strict'

const { isBytes, asBytes } = require('./bytes.js')

const utf8 = new TextDecoder()

/** Reads a property. A getter or a Proxy that throws has none. */
function read(object, key) {
  try {
    return object[key]
  } catch {
    return undefined
  }
}

/** The text in bytes, empty where there is no room for one, or undefined for anything else. */
function textOf(value, room) {
  try {
    if (!isBytes(value)) return undefined
    return room > 0 ? utf8.decode(asBytes(value)) : ''
  } catch {
    // More than a text can be.
    return undefined
  }
}

function isList(value) {
  try {
    return Array.isArray(value)
  } catch {
    // A revoked Proxy.
    return false
  }
}

const isObject = (value) => typeof value === 'object' && value !== null
const isValue = (value) => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** A header's value, of `Headers`, a Map, pairs, or a plain object in any case. */
function headerOf(headers, name, limit) {
  const wanted = (entry) => isList(entry) && String(entry[0]).toLowerCase() === name
  try {
    let value = typeof headers.get === 'function' ? headers.get(name) : undefined
    if (value === undefined || value === null) {
      const entries = typeof headers[Symbol.iterator] === 'function' ? headers : Object.keys(headers)
      for (const item of entries) {
        if (limit-- === 0) break
        const entry = typeof item === 'string' ? [item, undefined] : item
        if (!wanted(entry)) continue
        value = entry === item ? entry[1] : headers[item]
        break
      }
    }
    return isList(value) ? value[0] : value
  } catch {
    return undefined
  }
}

/**
 * Gathers the evidence of a failure along the native table, which knows the fields' names, their roles and the limits.
 * What comes back is flat and is what `Record::from_events` of the native side reads: a number n ≥ 0 and a value, the
 * value of field n; a number n < 0, the beginning of a record in field −1 − n; `false`, its end. Never throws.
 */
function gather(failure, { fields, retryAfter, depth, members, records, longest }) {
  const events = []
  const above = []
  let left = records
  let room = longest

  function visit(object) {
    above.push(object)
    for (let field = 0; field < fields.length; field++) {
      const { name, role } = fields[field]
      const value = read(object, name)
      if (role === 'members') list(field, value)
      else if (role === 'headers') give(field, isObject(value) ? headerOf(value, retryAfter, records) : undefined)
      else if (isObject(value) && role !== 'value') nest(field, value, role)
      else give(field, value)
    }
    above.pop()
  }

  function give(field, value) {
    if (isValue(value)) events.push(field, cut(value))
  }

  function cut(value) {
    if (typeof value !== 'string') return value
    const part = value.slice(0, room)
    room -= part.length
    return part
  }

  /** True if the object, or its text, was handed over. */
  function nest(field, object, role) {
    const text = role === 'object' ? undefined : textOf(object, room)
    if (text !== undefined) {
      give(field, text)
    } else if (!above.includes(object) && above.length <= depth && left > 0) {
      left--
      events.push(-1 - field)
      visit(object)
      events.push(false)
    } else {
      return false
    }
    return true
  }

  function list(field, value) {
    if (!isList(value)) return
    const found = read(value, 'length')
    const length = typeof found === 'number' ? found : 0
    // One more than the limit tells the other side that there are more.
    for (let at = 0; at < length && at <= members; at++) {
      const member = read(value, at)
      if (above.includes(member)) continue
      if (typeof member === 'string') give(field, member)
      // A member that says nothing still is one.
      else if (!isObject(member) || !nest(field, member, 'member')) events.push(-1 - field, false)
    }
  }

  if (isObject(failure) || typeof failure === 'function') {
    const text = textOf(failure, room)
    if (text !== undefined) {
      give(0, text)
    } else {
      events.push(-1)
      visit(failure)
      events.push(false)
    }
  } else {
    give(0, String(failure))
  }
  return events
}

/** Makes `classifyFailure` from the native side, which decides. */
function createClassifyFailure({ failureTable, classifyEvents }) {
  const table = failureTable()

  return function classifyFailure(failure) {
    const events = gather(failure, table)
    const { messageAt, ...classification } = classifyEvents(events, Date.now())
    // The failure's own message is given back as it was: a lone surrogate does not survive the way through UTF-8.
    if (messageAt !== undefined) classification.message = events[messageAt]
    return classification
  }
}

module.exports = { createClassifyFailure }
