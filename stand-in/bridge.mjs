// A stand-in for a cli-bridge: real HTTP on 127.0.0.1 over real semaphores, without harnesses behind them.
import { once, setMaxListeners } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Gate, NoSlot } from './gate.mjs'
import {
  HARNESS_FAILURES,
  REQUEST_ERRORS,
  admissionRefusal,
  completion,
  executorMessage,
  executorRefusal,
  health,
  invalidFields,
  readTurn
} from './wire.mjs'

const DEFAULTS = {
  port: 0,
  bearer: undefined,
  backends: ['claude'],
  scoped: false,
  legacy: false,
  admission: { max: 8, reserved: 2, maxQueue: 16, waitMs: 60_000 },
  host: { max: 4, waitMs: 60_000 },
  scopedHost: { max: 4, reserved: 2, waitMs: 60_000 },
  probes: true,
  probeMs: 0,
  probeTtlMs: 30_000,
  probeTimeoutMs: 3_500,
  turnMs: 20
}

// Where a backend's turns run, by name. All others use the host semaphore.
const THROUGH_SCOPED_HOST = new Set([
  'claude',
  'claudish',
  'codex',
  'kimi',
  'kimi-code',
  'opencode',
  'pi',
  'prime',
  'hermes',
  'openclaw',
  'acp'
])
const WITHOUT_SLOT = new Set(['amp', 'forge', 'nanoclaw', 'sandbox', 'passthrough'])
const WITHOUT_ADMISSION = new Set(['sandbox', 'passthrough'])
const BULK_AT_SCOPED_HOST = new Set(['pi', 'prime', 'hermes', 'openclaw'])

const VERSION = '1.0.0-stand-in'

/**
 * Starts a bridge and resolves once it listens.
 *
 * Its own body fields for `POST /v1/chat/completions`: `hold_ms`, how long the turn runs (default `turnMs`), and
 * `fail`, `'upstream'` or `'timeout'`: how it fails after that. `execution.acquireTimeoutMs` is the real bridge's.
 *
 * @param {object} [options]
 * @param {number} [options.port] 0 takes a free one
 * @param {string} [options.bearer] where set, every request needs it
 * @param {string[]} [options.backends] names that a model may begin with; each is probed by `/health`
 * @param {boolean} [options.scoped] the backends that can do so spawn through scoped-host
 * @param {boolean} [options.legacy] an old bridge: `/health` has no executor block, an executor refuses in prose only
 * @param {object} [options.admission] `{ max, reserved, maxQueue, waitMs }` of the admission gate
 * @param {object} [options.host] `{ max, waitMs }` of the host semaphore; `waitMs` is the acquire deadline
 * @param {object} [options.scopedHost] `{ max, reserved, waitMs }` of the scoped-host semaphore
 * @param {boolean} [options.probes] false: `/health` answers `ready` without taking slots
 * @param {number} [options.probeMs] how long a probe holds its slot
 * @param {number} [options.probeTtlMs] how long a ready verdict is good
 * @param {number} [options.probeTimeoutMs] how long `/health` waits for a probe
 * @param {number} [options.turnMs] how long a turn runs that does not say it
 */
export async function startBridge(options = {}) {
  const settings = fill(DEFAULTS, options, 'options')
  const { bearer, backends, scoped, legacy } = settings
  if (legacy && scoped) throw new TypeError('options.legacy: an old bridge is modelled on the host semaphore only')

  const admission = new Gate(settings.admission)
  const host = { name: 'host', gate: new Gate(settings.host) }
  const scopedHost = { name: 'scoped-host', gate: new Gate(settings.scopedHost) }
  const closing = new AbortController()
  // Each probe that waits listens, and a full bridge has one for every poll.
  setMaxListeners(0, closing.signal)
  const holds = new Set()
  const startedAt = Date.now()
  const ready = new Map()

  const counts = () => ({
    admission: admission.counts(),
    host: host.gate.counts(),
    scopedHost: scopedHost.gate.counts()
  })

  function executorOf(backend) {
    if (WITHOUT_SLOT.has(backend)) return undefined
    return scoped && THROUGH_SCOPED_HOST.has(backend) ? scopedHost : host
  }

  /** Takes the backend's slot for the time of `work`. The gates' order is the bridge's: admission first. */
  async function withSlot({ backend, lane, retained, waitMs, signal }, work) {
    const executor = executorOf(backend)
    if (executor === undefined) return work()
    const bulk = executor === scopedHost && (retained || BULK_AT_SCOPED_HOST.has(backend))
    const release = await executor.gate.acquire({ lane: bulk ? 'bulk' : lane, waitMs, signal })
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** Takes a place in the admission gate for the time of `work`. */
  async function admitted({ backend, lane, retained, signal }, work) {
    if (retained || WITHOUT_ADMISSION.has(backend)) return work()
    const leave = await admission.acquire({ lane, signal })
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /** One backend's verdict. A probe that needs a slot waits for it like a turn. Never rejects. */
  async function probe(backend) {
    try {
      await withSlot({ backend, lane: 'bulk', signal: closing.signal }, () =>
        sleep(settings.probeMs, undefined, { signal: closing.signal })
      )
      return { state: 'ready', version: VERSION }
    } catch (err) {
      const detail = err instanceof NoSlot ? executorMessage(executorOf(backend).name, err) : err.message
      return { state: 'unavailable', detail }
    }
  }

  async function verdict(backend) {
    if (!settings.probes) {
      return { name: backend, state: 'ready', version: VERSION, probedAt: startedAt, cached: true }
    }
    const known = ready.get(backend)
    if (known !== undefined && Date.now() - known.probedAt < settings.probeTtlMs) return { ...known, cached: true }
    const ms = settings.probeTimeoutMs
    // A probe that is too late is not withdrawn: it stays in the queue until it has its slot or its deadline.
    const late = { state: 'error', detail: `health probe timed out after ${ms}ms` }
    const found = { name: backend, ...(await within(ms, probe(backend), late)), probedAt: Date.now() }
    if (found.state === 'ready') ready.set(backend, found)
    return { ...found, cached: false }
  }

  async function answerHealth(res) {
    const verdicts = await Promise.all(backends.map(verdict))
    const { status, body } = health(verdicts, counts(), legacy)
    sendJson(res, { status, body })
  }

  /** Runs a turn, or says who refused it. The slot is free again before the caller reads the answer. */
  async function runTurn(turn, onAdmitted, onStart) {
    const backend = turn.backend
    try {
      return await admitted(turn, async () => {
        onAdmitted()
        try {
          await withSlot(turn, () => {
            onStart()
            return sleep(turn.holdMs, undefined, { signal: turn.signal })
          })
        } catch (err) {
          if (err instanceof NoSlot) return executorRefusal(executorOf(backend).name, err, legacy)
          throw err
        }
        return turn.fail === undefined ? completion(turn) : HARNESS_FAILURES[turn.fail](backend, turn.holdMs)
      })
    } catch (err) {
      if (err instanceof NoSlot) return admissionRefusal(err)
      throw err
    }
  }

  async function answerChat(req, res, signal) {
    let body
    try {
      body = JSON.parse(await text(req))
    } catch {
      return sendJson(res, REQUEST_ERRORS.notJson())
    }
    const fieldErrors = invalidFields(body)
    if (Object.keys(fieldErrors).length > 0) return sendJson(res, REQUEST_ERRORS.invalid(fieldErrors))
    const asked = readTurn(req.headers, body)
    const backend = backendOf(asked.model)
    if (!backends.includes(backend)) return sendJson(res, REQUEST_ERRORS.noBackend(asked.model))
    const turn = { ...asked, backend, signal, holdMs: asked.holdMs ?? settings.turnMs }

    const events = eventStream(res)
    const answer = await runTurn(
      turn,
      () => asked.stream && events.open(),
      () => asked.stream && events.metadata()
    )
    // A turn that asked for a stream and was not admitted has none.
    if (!res.headersSent) return sendJson(res, answer)
    for (const data of answer.chunks ?? [{ error: answer.frame ?? answer.error }]) events.data(data)
    events.end()
  }

  async function answer(req, res) {
    const gone = new AbortController()
    res.on('close', () => gone.abort())
    try {
      if (bearer !== undefined && req.headers.authorization !== `Bearer ${bearer}`) {
        return sendJson(res, REQUEST_ERRORS.unauthorized())
      }
      const route = `${req.method} ${new URL(req.url, 'http://bridge').pathname}`
      if (route === 'GET /health') return await answerHealth(res)
      if (route === 'POST /v1/chat/completions') return await answerChat(req, res, gone.signal)
      return sendJson(res, REQUEST_ERRORS.noRoute())
    } catch (err) {
      if (gone.signal.aborted) return
      if (!res.headersSent) return sendJson(res, { status: 500, error: { message: err.message, type: 'server_error' } })
      res.destroy(err)
    }
  }

  /**
   * Takes `n` places as turns do (admission, then a slot) and resolves to `{ release() }` once all of them hold.
   * Rejects with `NoSlot`, holding nothing, if one is refused.
   *
   * @param {number} n
   * @param {object} [asked]
   * @param {string} [asked.model] default: the first backend's
   * @param {'reserved' | 'bulk'} [asked.lane]
   * @param {boolean} [asked.retained] as turns of retained sessions: past the admission gate
   * @param {number} [asked.waitMs] the acquire deadline, where it is not the executor's
   */
  async function hold(n, { model = backends[0], lane = 'bulk', retained = false, waitMs } = {}) {
    const held = new AbortController()
    const released = once(held.signal, 'abort')
    holds.add(held)
    const turn = { backend: backendOf(model), lane, retained, waitMs, signal: held.signal }
    const turns = []
    const release = async () => {
      held.abort()
      holds.delete(held)
      await Promise.all(turns)
    }
    const starts = Array.from(
      { length: n },
      () =>
        new Promise((resolve, reject) => {
          const work = () => {
            resolve()
            return released
          }
          turns.push(admitted(turn, () => withSlot(turn, work)).catch(reject))
        })
    )
    try {
      await Promise.all(starts)
    } catch (err) {
      await release()
      throw err
    }
    return { release }
  }

  const server = createServer(answer)
  let closed
  /** Ends every turn, hold, probe and connection. Afterwards nothing of the bridge keeps the process alive. */
  const close = () => {
    closed ??= new Promise((resolve) => {
      server.close(resolve)
      server.closeAllConnections()
      closing.abort()
      for (const held of holds) held.abort()
    })
    return closed
  }

  server.listen(settings.port, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${server.address().port}`, counts, hold, close }
}

/** The bridge's routing: the part before the first slash, or the whole of a bare name, case ignored. */
function backendOf(model) {
  return String(model).split('/', 1)[0].toLowerCase()
}

/** `given` over `defaults`, one level deep. An unknown name is a mistake of the test that wrote it. */
function fill(defaults, given, where) {
  const filled = { ...defaults }
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaults, name)) throw new TypeError(`${where}.${name}: no such option`)
    const nested = typeof defaults[name] === 'object' && !Array.isArray(defaults[name])
    filled[name] = nested ? fill(defaults[name], value, `${where}.${name}`) : value
  }
  return filled
}

/** `promise`, or `late` after `ms`. */
async function within(ms, promise, late) {
  let timer
  const alarm = new Promise((resolve) => {
    timer = setTimeout(resolve, ms, late)
  })
  try {
    return await Promise.race([promise, alarm])
  } finally {
    clearTimeout(timer)
  }
}

function sendJson(res, { status, retryAfter, error, body = { error } }) {
  const headers = { 'Content-Type': 'application/json' }
  if (retryAfter !== undefined) headers['Retry-After'] = String(retryAfter)
  const bytes = Buffer.from(JSON.stringify(body))
  res.writeHead(status, { ...headers, 'Content-Length': bytes.length }).end(bytes)
}

/** The frames of a streamed turn, numbered as the bridge numbers them. */
function eventStream(res) {
  let id = 0
  return {
    open() {
      res.writeHead(200, { 'Cache-Control': 'no-cache', 'Content-Type': 'text/event-stream' })
      res.write(': connected\n\n')
    },
    metadata: () => res.write(`id: ${(id += 1)}\n: bridge-metadata\n\n`),
    data: (value) => res.write(`data: ${JSON.stringify(value)}\nid: ${(id += 1)}\n\n`),
    end: () => res.end('data: [DONE]\n\n')
  }
}
