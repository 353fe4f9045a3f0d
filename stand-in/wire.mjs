// The words and shapes of a real cli-bridge's answers: every field name of the wire is in this file.
import { randomBytes } from 'node:crypto'
import v8 from 'node:v8'

const RETRY_AFTER_S = 5
const MAX_ACQUIRE_DEADLINE_MS = 900_000

/** What a turn asks for, from its request. `undefined` where the request does not say it. */
export function readTurn(headers, body) {
  return {
    model: body.model,
    messages: body.messages,
    stream: body.stream === true,
    lane: headers['x-tangle-client']?.startsWith('pr-reviewer/') ? 'reserved' : 'bulk',
    waitMs: deadline(body.execution?.acquireTimeoutMs),
    // The next two are the stand-in's own: how long the turn runs, and how it fails after that.
    holdMs: body.hold_ms,
    fail: body.fail
  }
}

/** What is wrong with a turn's body: `{ field: [complaint] }`, as the bridge's validator says it. */
export function invalidFields(body) {
  const isTime = (value) => value === undefined || (Number.isFinite(value) && value >= 0)
  const complaints = {
    model: typeof body?.model !== 'string' && 'Required',
    messages: !Array.isArray(body?.messages) && 'Required',
    hold_ms: !isTime(body?.hold_ms) && 'Invalid',
    fail: body?.fail !== undefined && !Object.hasOwn(HARNESS_FAILURES, body.fail) && 'Invalid'
  }
  const found = Object.entries(complaints).filter(([, complaint]) => complaint)
  return Object.fromEntries(found.map(([field, complaint]) => [field, [complaint]]))
}

const deadline = (ms) => (ms === undefined ? undefined : Math.min(ms, MAX_ACQUIRE_DEADLINE_MS))

/**
 * The body of `GET /health`, and its status.
 *
 * @param {object[]} verdicts one per backend: `{ name, state, version | detail, probedAt, cached }`
 * @param {{ admission: object, host: object, scopedHost: object }} counts of the three gates
 * @param {boolean} legacy without the executor block
 */
export function health(verdicts, { admission, host, scopedHost }, legacy) {
  const ready = verdicts.some((verdict) => verdict.state === 'ready')
  const probedAt = Math.min(...verdicts.map((verdict) => verdict.probedAt))
  const body = {
    status: ready ? 'ok' : 'degraded',
    cached_verdicts: verdicts.every((verdict) => verdict.cached),
    oldest_probed_at: new Date(probedAt).toISOString(),
    backends: verdicts.map(({ name, probedAt, cached, ...verdict }) => ({
      name,
      ...verdict,
      probed_at: new Date(probedAt).toISOString(),
      cached
    })),
    admission: admissionBlock(admission),
    executor: {
      ...executorBlock(host),
      scoped_host: {
        ...executorBlock(scopedHost),
        reserved: scopedHost.reserved,
        bulk_in_flight: scopedHost.inFlightByLane.bulk,
        bulk_max: scopedHost.bulkMax,
        queued_reserved: scopedHost.queuedByLane.reserved,
        queued_bulk: scopedHost.queuedByLane.bulk
      }
    },
    memory: memoryBlock(),
    ts: new Date().toISOString()
  }
  if (legacy) delete body.executor
  return { status: ready ? 200 : 503, body }
}

function admissionBlock(counts) {
  return {
    active: counts.inFlight,
    live: counts.inFlight,
    // Leases left behind by dead runs: the stand-in's runs cannot die without giving theirs back.
    stale: 0,
    unbound: 0,
    oldestHeldMs: counts.oldestHeldMs,
    reclaimed: 0,
    queued: counts.queued,
    maxActive: counts.max,
    maxQueue: counts.maxQueue,
    reservedActive: counts.reserved,
    bulkMaxActive: counts.bulkMax,
    activeByClass: counts.inFlightByLane,
    queuedByClass: counts.queuedByLane
  }
}

function executorBlock(counts) {
  return {
    in_flight: counts.inFlight,
    max: counts.max,
    queued: counts.queued,
    acquire_deadline_ms: counts.waitMs,
    max_acquire_deadline_ms: MAX_ACQUIRE_DEADLINE_MS,
    acquires: counts.acquires,
    timeouts: counts.timeouts
  }
}

function memoryBlock() {
  const { heapUsed, heapTotal, rss, external } = process.memoryUsage()
  const limit = v8.getHeapStatistics().heap_size_limit
  return {
    heap_used_bytes: heapUsed,
    heap_total_bytes: heapTotal,
    heap_limit_bytes: limit,
    heap_used_pct: Math.round((heapUsed / limit) * 1000) / 10,
    rss_bytes: rss,
    external_bytes: external,
    // The stand-in keeps no run for a replay.
    runs_retained: 0,
    run_replay_bytes: 0
  }
}

const ADMISSION_MESSAGES = {
  queue_full: ({ lane, counts }) =>
    `cli-bridge is saturated: ${lane} admission queue is full (${counts.queued}/${counts.maxQueue})`,
  queue_timeout: ({ lane, waitMs }) => `cli-bridge admission timed out after ${waitMs}ms in the ${lane} lane`,
  aborted: () => 'cli-bridge admission aborted while queued'
}

/** The answer to a turn that the admission gate refused: JSON, also where a stream was asked for. */
export function admissionRefusal(noSlot) {
  const error = {
    capacity: true,
    message: ADMISSION_MESSAGES[noSlot.reason](noSlot),
    type: 'admission_rejected',
    reason: noSlot.reason,
    admissionClass: noSlot.lane,
    admission: admissionBlock(noSlot.counts)
  }
  return { status: 503, retryAfter: RETRY_AFTER_S, error }
}

/** What an executor says to one who waited for a slot in vain. `name` is `host` or `scoped-host`. */
export function executorMessage(name, { lane, waitMs, counts }) {
  const { inFlight, inFlightByLane, max, bulkMax, queued } = counts
  const share = name === 'scoped-host' ? `lane=${lane}, bulk=${inFlightByLane.bulk}/${bulkMax}, ` : ''
  return `${name}-executor: acquire timeout after ${waitMs}ms (${share}in_flight=${inFlight}/${max}, queued=${queued})`
}

/** The answer to a turn that got no slot: `error` is its JSON form, `frame` its form in a stream. */
export function executorRefusal(name, noSlot, legacy) {
  const message = executorMessage(name, noSlot)
  if (legacy) {
    const hint = 'Reduce parallel callers or raise BRIDGE_HOST_MAX_CONCURRENCY.'
    return { status: 500, error: { message: `${message}. ${hint}`, type: 'server_error' } }
  }
  const { waitMs, counts } = noSlot
  const kind = { type: 'executor_saturated', provider_dispatch: 'not_started', status: 429, capacity: true }
  const numbers = { in_flight: counts.inFlight, max: counts.max, queued: counts.queued, deadline_ms: waitMs }
  return {
    status: kind.status,
    retryAfter: RETRY_AFTER_S,
    error: {
      type: kind.type,
      capacity: kind.capacity,
      provider_dispatch: kind.provider_dispatch,
      status: kind.status,
      executor: name,
      ...numbers,
      retry_after_ms: RETRY_AFTER_S * 1000,
      message
    },
    frame: { message, ...kind, executor: { name, ...numbers } }
  }
}

/** How a harness fails that ran: `(backend, ms it ran) → answer`. A turn asks for one of these with `fail`. */
export const HARNESS_FAILURES = {
  upstream: (backend) => ({
    status: 502,
    error: { message: `${backend} exited 1: Error: 429 Too Many Requests\n`, type: 'upstream' }
  }),
  timeout: (backend, ms) => ({
    status: 504,
    error: { message: `${backend} execution timed out after ${ms}ms`, type: 'timeout' }
  })
}

/** Refusals for what a request is. */
export const REQUEST_ERRORS = {
  unauthorized: () => ({ status: 401, error: { message: 'Unauthorized', type: 'invalid_authentication_error' } }),
  notJson: () => ({ status: 400, error: { message: 'invalid JSON body', type: 'invalid_request_error' } }),
  invalid: (fieldErrors) => ({
    status: 400,
    error: {
      message: 'invalid chat request',
      type: 'invalid_request_error',
      details: { formErrors: [], fieldErrors }
    }
  }),
  noBackend: (model) => ({
    status: 404,
    error: {
      message: `no backend matches model "${model}". Check /health for registered backends.`,
      type: 'not_found_error'
    }
  }),
  noRoute: () => ({ status: 404, error: { message: 'not found', type: 'not_found' } })
}

/** The answer of a turn that ran: `body` is its JSON form, `chunks` its form in a stream. */
export function completion({ model, messages }) {
  const content = 'ok'
  const prompt = tokens(JSON.stringify(messages))
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: tokens(content),
    total_tokens: prompt + tokens(content),
    cost_known: false
  }
  const id = `chatcmpl-${randomBytes(12).toString('hex')}`
  const created = Math.floor(Date.now() / 1000)
  const chunk = (choices, rest) => ({ id, object: 'chat.completion.chunk', created, model, choices, ...rest })
  return {
    status: 200,
    body: {
      id,
      object: 'chat.completion',
      created,
      model,
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { ...usage, cost_scope: 'total', estimated: true }
    },
    chunks: [
      chunk([{ index: 0, delta: { content }, finish_reason: null }]),
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
      chunk([], { usage: { ...usage, estimated: true } })
    ]
  }
}

const tokens = (text) => Math.ceil(text.length / 4)
