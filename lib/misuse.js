'use strict'

const { inspect, types } = require('node:util')
const { throwMisuse } = require('./native.js')

const LONGEST = 120
const BEARER = '<bearer>'

let secret

/** Throws the error for a value that cannot be used. `wanted` names a text of the addon. */
function misuse(wanted, value) {
  throwMisuse(wanted, show(value))
}

/** Reads arguments; no error that this throws for misuse shows the bearer, wherever it was put by mistake. */
function hiding(bearer, read) {
  const before = secret
  secret = bearer
  try {
    return read()
  } finally {
    secret = before
  }
}

/** A value as a person would write it. Runs no code of the value's own. */
function show(value) {
  const isOpen = isPlain(value)
  let shown = written(value, isOpen ? 0 : -1)
  // A seam at the wrong place brings its own.
  const own = isOpen ? Object.getOwnPropertyDescriptor(value, 'bridgeBearer')?.value : undefined
  for (const bearer of [secret, own]) if (typeof bearer === 'string' && bearer !== '') shown = without(bearer, shown)
  return shown.length > LONGEST ? `${shown.slice(0, LONGEST)}…` : shown
}

function without(bearer, shown) {
  const itself = written(bearer)
  let clean = shown
  for (const form of [bearer, itself.slice(1, -1)]) clean = clean.replaceAll(form, BEARER)
  // The quotes around it decide how it is written, so there are more forms than these.
  return lettersOf(clean.replaceAll(BEARER, '')).includes(lettersOf(itself)) ? BEARER : clean
}

function written(value, depth) {
  const whole = { maxStringLength: Infinity, breakLength: Infinity }
  return inspect(value, { depth, customInspect: false, maxArrayLength: 8, ...whole })
}

/** What is the same in every form in which a text can be written. */
function lettersOf(form) {
  return form.replace(/\\(u[0-9a-f]{4}|x[0-9a-f]{2}|.)|[^a-z0-9]/gi, '')
}

/** Whether the value is shown with what is in it. Of all others the class says enough. */
function isPlain(value) {
  if (typeof value !== 'object' || value === null || types.isProxy(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || prototype === Array.prototype
}

module.exports = { misuse, hiding }
