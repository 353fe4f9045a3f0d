'use strict'

const native = require('./native.js')
const { throwIfAborted } = require('./abort.js')
const { getHealth } = require('./get-health.js')
const { slotsOf, hintsOf, isExecutorUnknown } = require('./intended.js')
const { misuse, hiding } = require('./misuse.js')

/** A full bridge was measured to take 3.5 s for `/health`: its own probes wait for a slot. */
const TIMEOUT_MS = 5_000
const PATH = '/health'
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1
/** What Node takes as the value of a header. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Asks the bridge of the seam. Rejects for misuse and with an `AbortError`, never for what the bridge does. */
async function refusalOfSeam(seam, signal, options) {
  const { bridgeUrl, bridgeBearer, model } = Object(seam)
  const { url, bearer, timeoutMs, slots, hints, ungated } = hiding(bridgeBearer, () => {
    const url = healthUrl(bridgeUrl)
    const bearer = readBearer(bridgeBearer)
    if (signal !== undefined && !isSignal(signal)) misuse('signal', signal)
    return { url, bearer, ...readOptions(options, model) }
  })
  throwIfAborted(signal)
  if (ungated) return undefined
  const { body } = await getHealth({ url, bearer, timeoutMs, signal })
  return body && native.refusalOfBytes(body, slots, hints, shownUrl(bridgeUrl, url, bearer))
}

function healthUrl(bridgeUrl) {
  if (typeof bridgeUrl !== 'string') misuse('bridgeUrl', bridgeUrl)
  // The URL alone has to be one: with the path behind it, `http://` would be a bridge called health. Neither white space
  // nor a control character, which are skipped at its end alone, nor a query or a fragment may stand before that path.
  const isUrl = URL.canParse(bridgeUrl) && !/[\s\0-\x1f?#]/.test(bridgeUrl)
  const url = isUrl ? new URL(`${bridgeUrl.replace(/\/$/, '')}${PATH}`) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') misuse('bridgeUrl', withoutUser(bridgeUrl))
  return url
}

/** A text that is no URL, without what may be a user and a password. */
function withoutUser(text) {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1…@')
}

/** The URL as a refusal names it: without credentials, and without a bearer that was put into its path, in any form. */
function shownUrl(bridgeUrl, { origin, pathname, username, password }, bearer) {
  if (bearer && [bridgeUrl, pathname, decoded(pathname)].some((form) => form.includes(bearer))) return origin
  return username || password ? origin + pathname.slice(0, -PATH.length) : bridgeUrl
}

function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function readBearer(bearer) {
  if (bearer === undefined || bearer === null) return undefined
  if (typeof bearer !== 'string') native.throwMisuse('bridgeBearer', `a value of type ${typeof bearer}`)
  // As fetch does: a bearer read from a file ends with a line break.
  let end = bearer.length
  while (end > 0 && '\t\n\r '.includes(bearer[end - 1])) end--
  const trimmed = bearer.slice(0, end)
  if (!isBearer(trimmed)) native.throwMisuse('bridgeBearer', 'one with a character that it cannot')
  return trimmed
}

function isBearer(text) {
  return HEADER_VALUE.test(text)
}

function readOptions(options = {}, model) {
  if (typeof options !== 'object' || options === null) misuse('options', options)
  const { intended, timeoutMs = TIMEOUT_MS } = options
  if (typeof timeoutMs !== 'number') misuse('timeoutType', timeoutMs)
  if (!(timeoutMs > 0 && timeoutMs <= LONGEST_TIMEOUT_MS)) misuse('timeout', timeoutMs)
  // null: turns of this model pass no gate at all. What the caller says of the executor goes before.
  const executor = typeof model === 'string' ? native.executorOfModel(model) : undefined
  const slots = slotsOf(intended)
  const hints = hintsOf(intended, executor ?? undefined)
  native.checkIntent(slots, hints)
  return { timeoutMs, slots, hints, ungated: executor === null && isExecutorUnknown(hints) }
}

/** By its shape: a signal of another realm is as good. */
function isSignal(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof value.aborted === 'boolean' &&
    typeof value.addEventListener === 'function' &&
    typeof value.removeEventListener === 'function'
  )
}

module.exports = { TIMEOUT_MS, refusalOfSeam, healthUrl, withoutUser, isBearer }
