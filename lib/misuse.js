'use strict'

const { inspect, types } = require('node:util')
const { throwMisuse } = require('./native.js')

const LONGEST = 120

let secret

/** Throws the error for a value that cannot be used. `wanted` names a text of the addon. */
function misuse(wanted, value) {
  throwMisuse(wanted, show(value))
}

/** Reads arguments; no error that this throws for misuse shows the bearer, wherever it was put by mistake. */
function hiding(bearer, read) {
  const before = secret
  secret = typeof bearer === 'string' && bearer !== '' ? bearer : undefined
  try {
    return read()
  } finally {
    secret = before
  }
}

/** A value as a person would write it. Runs no code of the value's own. */
function show(value) {
  const depth = isPlain(value) ? 1 : -1
  let shown = inspect(value, { depth, customInspect: false, maxArrayLength: 8, breakLength: Infinity })
  if (secret !== undefined) {
    for (const written of [secret, inspect(secret).slice(1, -1)]) shown = shown.replaceAll(written, '<bearer>')
  }
  return shown.length > LONGEST ? `${shown.slice(0, LONGEST)}…` : shown
}

/** Whether the value is shown with what is in it. Of all others the class says enough. */
function isPlain(value) {
  if (typeof value !== 'object' || value === null || types.isProxy(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || prototype === Array.prototype
}

module.exports = { misuse, hiding }
