'use strict'

const native = require('../native.js')
const { slotsOf, hintsOf } = require('../intended.js')
const { EXIT } = require('./exit-codes.js')

/** The verdicts: the exit code, and whether waiting may change it. */
const VERDICTS = {
  room: { exitCode: EXIT.ok, passes: false },
  'no-room': { exitCode: EXIT.tempFail, passes: true },
  'never-fits': { exitCode: EXIT.config, passes: false },
  unreachable: { exitCode: EXIT.unavailable, passes: true },
  unreadable: { exitCode: EXIT.unavailable, passes: true },
  unauthorized: { exitCode: EXIT.noPermission, passes: false }
}

const UNASKED = { free: null, limiting: null, gates: [], refusal: null, error: null, httpStatus: null }

/**
 * The verdict over what a source gave: the object that `--json` prints. Fields that do not apply are `null`.
 *
 * @param {{ name: string, url?: URL }} source
 * @param {object} intent of `intentOf`
 * @param {object} answer of `readSource`
 * @param {boolean} failOpen what cannot be reached or read has room
 */
function reportOf(source, intent, answer, failOpen = false) {
  const { verdict, ...found } = intent.ungated ? { verdict: 'room' } : judge(source, intent, answer)
  const { slots, lane, executor = null } = intent
  const { exitCode } = VERDICTS[verdict]
  const failedOpen = failOpen && exitCode === EXIT.unavailable
  return {
    verdict,
    exitCode: failedOpen ? EXIT.ok : exitCode,
    ...UNASKED,
    ...found,
    failedOpen,
    intended: { slots, lane, executor },
    source: source.name
  }
}

function judge(source, intent, { status, body, error }) {
  const bridge = source.url ? `bridge ${shownUrl(source)}` : nameOf(source)
  const httpStatus = status ?? null
  if (status === 401 || status === 403) {
    const error = `${bridge} answers HTTP ${status}: the bearer is missing or wrong`
    return { verdict: 'unauthorized', error, httpStatus }
  }
  if (error) {
    const verb = source.url ? 'reached' : 'read'
    const verdict = source.url ? 'unreachable' : 'unreadable'
    return { verdict, error: `${bridge} cannot be ${verb}: ${reasonOf(error)}`, httpStatus }
  }
  if (!isHealth(body, status)) {
    const of = status === undefined ? 'holds' : `answers HTTP ${status} with`
    return { verdict: 'unreadable', error: `${bridge} ${of} no /health body`, httpStatus }
  }
  const slots = slotsOf(intent)
  const hints = hintsOf(intent)
  const { free, limiting = null, gates } = native.capacityOfBytes(body, slots, hints)
  const refusal = native.refusalOfBytes(body, slots, hints, source.url && source.name) ?? null
  const verdict = refusal === null ? 'room' : tooSmall(gates, slots) ? 'never-fits' : 'no-room'
  return { verdict, free, limiting, gates: gates.map(wholly), refusal, httpStatus }
}

/**
 * Whether the body is one JSON object, and may be a bridge's. The status of a bridge is 200, or 503 with the same body;
 * under any other but 200 it has to report a gate, or it is the error of a proxy or of another server.
 */
function isHealth(body, status = 200) {
  let parsed
  try {
    parsed = JSON.parse(body)
  } catch {
    return false
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return false
  return status === 200 || native.capacityOfBytes(body, slotsOf(), hintsOf()).gates.length > 0
}

/** The gate that has fewer slots in all than are intended: no waiting helps there. */
const tooSmall = (gates, slots) => gates.find(({ limit }) => slots > limit)

/** A gate with every field, for scripts. */
function wholly({ name, active, limit, free, queued = null, acquireDeadlineMs = null }) {
  return { name, active, limit, free, queued, acquireDeadlineMs }
}

/** Errors of several addresses have no message of their own. */
function reasonOf(error) {
  return error.message || error.errors?.map(({ message }) => message).join('; ') || error.code || error.name
}

/** The verdict in one sentence, for people. */
function sentenceOf({ verdict, free, limiting, gates, refusal, error, failedOpen, intended: { slots } }) {
  switch (verdict) {
    case 'room':
      return free === null
        ? `room for ${slots}: such turns pass no gate that is reported`
        : `room for ${slots}: ${free} free at the limiting gate, ${limiting}`
    case 'no-room':
      return `no room for ${slots} now: ${refusal}`
    case 'never-fits': {
      const { name, limit } = tooSmall(gates, slots)
      return `never room for ${slots}, since the limit of the gate ${name} is ${limit}: ${refusal}`
    }
    default:
      return failedOpen ? `${error}; taken for room, as --fail-open says` : error
  }
}

/** The source as people know it. */
function nameOf({ name, url }) {
  if (url) return shownUrl({ name })
  return name === '-' ? 'standard input' : name
}

/** As refusals show it. */
const shownUrl = ({ name }) => name.replace(/\/$/, '')

module.exports = { VERDICTS, reportOf, sentenceOf, nameOf }
