'use strict'

const { inspect } = require('node:util')
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
  let shown = inspect(value, { depth: 1, customInspect: false, maxArrayLength: 8, breakLength: Infinity })
  if (secret !== undefined) {
    for (const written of [secret, inspect(secret).slice(1, -1)]) shown = shown.replaceAll(written, '<bearer>')
  }
  return shown.length > LONGEST ? `${shown.slice(0, LONGEST)}…` : shown
}

module.exports = { misuse, hiding }
