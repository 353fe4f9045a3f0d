'use strict'

const native = require('./native.js')

// A name's position is its code in the addon.
const LANES = native.lanes()
const EXECUTORS = native.executors()
const UNKNOWN_EXECUTOR = 0

/** How many slots are intended. The addon refuses numbers that are none. */
function slotsOf(intended) {
  if (intended === undefined) return 1
  if (typeof intended === 'number') return intended
  if (typeof intended !== 'object' || intended === null) misuse('intended', intended)
  const { slots } = intended
  if (slots === undefined) misuse('intended', intended)
  if (typeof slots !== 'number') misuse('slotsType', slots)
  return slots
}

/** What the caller knows of the spawn, as the one number that the addon takes. `executor` stands in for none given. */
function hintsOf(intended, executor = UNKNOWN_EXECUTOR) {
  if (typeof intended !== 'object') return LANES.length * executor
  return (
    codeOf(intended.lane, LANES, 'lane', 0) + LANES.length * codeOf(intended.executor, EXECUTORS, 'executor', executor)
  )
}

function codeOf(name, names, wanted, otherwise) {
  if (name === undefined) return otherwise
  const code = name === '' ? -1 : names.indexOf(name)
  if (code < 0) misuse(wanted, name)
  return code
}

/** Loaded here, since most processes misuse nothing. */
function misuse(wanted, value) {
  require('./misuse.js').misuse(wanted, value)
}

/** Whether nobody has said where the spawn runs. */
function isExecutorUnknown(hints) {
  return hints < LANES.length * (UNKNOWN_EXECUTOR + 1)
}

module.exports = { slotsOf, hintsOf, isExecutorUnknown }
