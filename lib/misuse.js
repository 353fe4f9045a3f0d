'use strict'

const { inspect, types } = require('node:util')
const { throwMisuse } = require('./native.js')

const LONGEST = 120
const BEARER = '<bearer>'
/** No header is as long. */
const LONGEST_BEARER = 16_384
/**
 * How much of a value is written: where that is cut off, half a bearer may be left, but behind what is shown, even if
 * there is nothing but bearers in it, each letter an escape.
 */
const WRITTEN = 16 * LONGEST_BEARER * '\\u0000'.length
/** Of an object with more the class says enough. */
const MOST_KEYS = 64

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

/** A value as a person would write it. */
function show(value) {
  if (types.isProxy(value)) return 'a Proxy'
  const isOpen = isPlain(value) && isSmall(value)
  let shown = written(value, isOpen ? 0 : -1)
  // A seam at the wrong place brings its own.
  const own = isOpen ? Object.getOwnPropertyDescriptor(value, 'bridgeBearer')?.value : undefined
  for (const bearer of [secret, own]) if (typeof bearer === 'string' && bearer !== '') shown = without(bearer, shown)
  return shown.length > LONGEST ? `${shown.slice(0, LONGEST)}…` : shown
}

function without(bearer, shown) {
  if (bearer.length > LONGEST_BEARER) return BEARER
  const itself = written(bearer)
  let clean = shown
  for (const form of [bearer, itself.slice(1, -1)]) clean = clean.replaceAll(form, BEARER)
  // The quotes around it decide how it is written, so there are more forms than these.
  return lettersOf(clean.replaceAll(BEARER, '')).includes(lettersOf(itself)) ? BEARER : clean
}

function written(value, depth) {
  const most = { maxStringLength: WRITTEN, breakLength: Infinity }
  try {
    return inspect(value, { depth, customInspect: false, maxArrayLength: 8, ...most }).slice(0, WRITTEN)
  } catch {
    // A getter of its class, or of an error's own, that throws.
    return `a value of type ${typeof value}`
  }
}

/** What is the same in every form in which a text can be written. */
function lettersOf(form) {
  return form.replace(/\\(u[0-9a-f]{4}|x[0-9a-f]{2}|.)|[^a-z0-9]/gi, '')
}

/** Whether the value is shown with what is in it. Of all others the class says enough. */
function isPlain(value) {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || prototype === Array.prototype
}

/** Whether what is in it can be written: of a key nothing can be left out. */
function isSmall(value) {
  if (Array.isArray(value) && value.length > MOST_KEYS) return false
  const keys = Reflect.ownKeys(value)
  return keys.length <= MOST_KEYS && keys.every((key) => String(key).length <= LONGEST)
}

module.exports = { misuse, hiding }
