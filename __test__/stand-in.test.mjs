// The stand-in is held against the bodies of a real bridge: same keys in the same order, same words, numbers aside.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startBridge } from '../stand-in/bridge.mjs'
import { send, sendTurn } from '../stand-in/client.mjs'
import { Gate, NoSlot } from '../stand-in/gate.mjs'
import { readTurn } from '../stand-in/wire.mjs'

const captured = (file) => readFileSync(new URL(`captures/${file}`, import.meta.url), 'utf8')

/** A bridge that ends with its test. */
async function bridgeFor(t, options) {
  const bridge = await startBridge(options)
  t.after(() => bridge.close())
  return bridge
}

async function health(bridge, init) {
  const answer = await send(`${bridge.url}/health`, init)
  return { ...answer, json: JSON.parse(answer.body) }
}

const turn = (bridge, fields, init) => sendTurn(bridge.url, fields, init)

const asReviewer = { headers: { 'x-tangle-client': 'pr-reviewer/1' } }

/** Waits until `holds()` does; the bridge works while the test sleeps. */
async function until(holds) {
  const end = Date.now() + 10_000
  while (!holds()) {
    assert.ok(Date.now() < end, `never came true: ${holds}`)
    await sleep(2)
  }
}

/** Every path of an object, in the order of its keys; array members by their place. */
function paths(value, path = '') {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.keys(value).flatMap((key) => paths(value[key], `${path}.${key}`))
}

/** A body with its numbers and the names that belong to one bridge alone blanked out. */
function likeness(text) {
  return text
    .replaceAll(/chatcmpl-[0-9a-f]{24}/g, 'chatcmpl-')
    .replaceAll(/"model":"[^"]+"/g, '"model":"…"')
    .replaceAll(/\b(opencode|claude)\b/g, '…')
    .replaceAll(/\d+/g, '#')
}

function assertLike(actual, file, status) {
  assert.equal(likeness(actual.body), likeness(captured(file)), file)
  assert.equal(actual.status, status, file)
}

/** The counters of a /health body, but for the one that is a time. */
const counters = ({ admission, executor }) => ({ admission: { ...admission, oldestHeldMs: 0 }, executor })

const refused = (reason) => (err) => err instanceof NoSlot && err.reason === reason

// The face of a real bridge.

test('/health has the keys of the real body, in its order', async (t) => {
  const idle = await health(await bridgeFor(t))
  assert.equal(idle.status, 200)
  assert.deepEqual(paths(idle.json), paths(JSON.parse(captured('health-host-idle.json'))))
  const expected = JSON.parse(captured('health-host-idle.json'))
  assert.deepEqual(idle.json.admission, expected.admission)
  assert.deepEqual(idle.json.executor, { ...expected.executor, acquire_deadline_ms: 60_000 })

  const legacy = await health(await bridgeFor(t, { legacy: true }))
  assert.deepEqual(paths(legacy.json), paths(JSON.parse(captured('old-health-host-idle.json'))))

  const two = await health(await bridgeFor(t, { scoped: true, backends: ['opencode', 'gemini'] }))
  assert.deepEqual(paths(two.json), paths(JSON.parse(captured('health-scoped-mixed-idle.json'))))
})

test('/health counts turns as the real bridge does', async (t) => {
  const bridge = await bridgeFor(t, { host: { waitMs: 1_500 } })
  for (const [held, file] of [
    [0, 'health-host-idle.json'],
    [1, 'health-host-inflight-1.json'],
    [1, 'health-host-inflight-2.json'],
    [1, 'health-host-inflight-3.json'],
    [1, 'health-host-inflight-4.json']
  ]) {
    await bridge.hold(held)
    assert.deepEqual(counters((await health(bridge)).json), counters(JSON.parse(captured(file))), file)
  }
  const fifth = turn(bridge)
  await until(() => bridge.counts().host.queued === 1)
  assert.deepEqual(
    counters((await health(bridge)).json),
    counters(JSON.parse(captured('health-host-full-queued-1.json')))
  )
  assert.equal((await fifth).status, 429)
})

test('scoped-host counts turns as the real bridge does', async (t) => {
  const deadline = { waitMs: 1_500 }
  const bridge = await bridgeFor(t, { scoped: true, host: deadline, scopedHost: deadline })
  for (const [held, file] of [
    [0, 'health-scoped-idle.json'],
    [1, 'health-scoped-bulk-1.json'],
    [1, 'health-scoped-bulk-2-lane-full.json']
  ]) {
    await bridge.hold(held)
    assert.deepEqual(counters((await health(bridge)).json), counters(JSON.parse(captured(file))), file)
  }
  const waiters = [turn(bridge), turn(bridge)]
  await until(() => bridge.counts().scopedHost.queued === 2)
  assert.deepEqual(
    counters((await health(bridge)).json),
    counters(JSON.parse(captured('health-scoped-bulk-full-queued-2.json')))
  )
  await Promise.all(waiters)
})

test('retained turns hold slots outside the admission gate', async (t) => {
  const bridge = await bridgeFor(t)
  await bridge.hold(4, { retained: true })
  const { admission, host } = bridge.counts()
  assert.deepEqual([admission.inFlight, host.inFlight], [0, 4])
})

test('a full host executor refuses as the real one', async (t) => {
  const bridge = await bridgeFor(t, { host: { waitMs: 60 } })
  await bridge.hold(4)
  const refusal = await turn(bridge)
  assertLike(refusal, 'refuse-executor-429-nonstream.json', 429)
  assert.equal(refusal.headers['retry-after'], '5')
  assert.equal(
    JSON.parse(refusal.body).error.message,
    'host-executor: acquire timeout after 60ms (in_flight=4/4, queued=0)'
  )
  assertLike(await turn(bridge, { stream: true }), 'refuse-executor-stream.sse', 200)
  assertLike(await turn(bridge, {}, asReviewer), 'refuse-executor-429-reserved-client.json', 429)
  const own = await turn(bridge, { execution: { acquireTimeoutMs: 30 } })
  assert.equal(JSON.parse(own.body).error.deadline_ms, 30)
})

test('a full scoped-host executor refuses as the real one, at two of four for bulk', async (t) => {
  const bridge = await bridgeFor(t, { scoped: true, scopedHost: { waitMs: 60 } })
  await bridge.hold(2)
  const refusal = await turn(bridge)
  assertLike(refusal, 'refuse-scoped-429-nonstream.json', 429)
  assert.equal(
    JSON.parse(refusal.body).error.message,
    'scoped-host-executor: acquire timeout after 60ms (lane=bulk, bulk=2/2, in_flight=2/4, queued=0)'
  )
  assertLike(await turn(bridge, { stream: true }), 'refuse-scoped-stream.sse', 200)
  assert.equal((await turn(bridge, {}, asReviewer)).status, 200)
})

test('an old bridge refuses in prose', async (t) => {
  const bridge = await bridgeFor(t, { legacy: true, host: { waitMs: 60 } })
  await bridge.hold(4)
  assertLike(await turn(bridge), 'old-refuse-executor-nonstream.json', 500)
  assertLike(await turn(bridge, { stream: true }), 'old-refuse-executor-stream.sse', 200)
})

test('the admission gate refuses as the real one, also where a stream was asked for', async (t) => {
  const bridge = await bridgeFor(t, { admission: { maxQueue: 1, waitMs: 1_000 }, host: { max: 8 } })
  await bridge.hold(6)
  const waiter = turn(bridge)
  await until(() => bridge.counts().admission.queued === 1)
  const full = await turn(bridge)
  assertLike(full, 'refuse-admission-503-queue-full.json', 503)
  assert.equal(full.headers['retry-after'], '5')
  assertLike(await turn(bridge, { stream: true }), 'refuse-admission-503-queue-full-stream.json', 503)
  assert.equal((await turn(bridge, {}, asReviewer)).status, 200)
  const timedOut = await waiter
  assertLike(timedOut, 'refuse-admission-503-queue-timeout.json', 503)
  assert.equal(timedOut.headers['retry-after'], '5')
})

test('turns that run answer as the real ones, well or badly', async (t) => {
  const bridge = await bridgeFor(t)
  assertLike(await turn(bridge), 'ok-nonstream.json', 200)
  assertLike(await turn(bridge, { stream: true }), 'ok-stream.sse', 200)
  assertLike(await turn(bridge, { fail: 'upstream' }), 'fail-provider-429-nonstream.json', 502)
  assertLike(await turn(bridge, { fail: 'upstream', stream: true }), 'fail-provider-429-stream.sse', 200)
  assertLike(await turn(bridge, { fail: 'timeout' }), 'fail-provider-timeout-nonstream.json', 504)
  assertLike(await turn(bridge, { fail: 'timeout', stream: true }), 'fail-provider-timeout-stream.sse', 200)
})

test('bad requests are refused as by the real bridge', async (t) => {
  const bridge = await bridgeFor(t, { bearer: 'right' })
  const authorized = { headers: { authorization: 'Bearer right' } }
  assertLike(await turn(bridge, {}, { headers: { authorization: 'Bearer wrong' } }), 'err-401.json', 401)
  assertLike(await health(bridge), 'err-401.json', 401)
  assert.equal((await health(bridge, authorized)).status, 200)
  assertLike(await turn(bridge, {}, { ...authorized, body: '{' }), 'err-400-invalid-json.json', 400)
  assertLike(await turn(bridge, { messages: undefined }, authorized), 'err-400-invalid-request.json', 400)
  const unknown = await turn(bridge, { model: 'claude-code/sonnet' }, authorized)
  assert.equal(unknown.body, captured('err-404-no-backend.json'))
  assert.equal(unknown.status, 404)
})

test('a misspelt option is said, not ignored', async () => {
  await assert.rejects(startBridge({ acquireDeadlineMs: 5 }), {
    name: 'TypeError',
    message: 'options.acquireDeadlineMs: no such option'
  })
  await assert.rejects(startBridge({ host: { wait: 5 } }), {
    name: 'TypeError',
    message: 'options.host.wait: no such option'
  })
})

// The semaphores.

test('never more than max in flight, and all get through', async () => {
  const gate = new Gate({ max: 4, waitMs: 10_000 })
  let running = 0
  let most = 0
  let done = 0
  await Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      const release = await gate.acquire()
      most = Math.max(most, (running += 1))
      await sleep(i % 3)
      running -= 1
      done += 1
      release()
      release()
    })
  )
  assert.deepEqual([most, done, gate.counts().inFlight], [4, 200, 0])
})

test('waiters enter in the order of their arrival, within their lane', async () => {
  const gate = new Gate({ max: 3, reserved: 1, waitMs: 10_000 })
  const first = [await gate.acquire(), await gate.acquire(), await gate.acquire({ lane: 'reserved' })]
  const entered = []
  const waiters = [
    ['b1', 'bulk'],
    ['r1', 'reserved'],
    ['b2', 'bulk'],
    ['r2', 'reserved']
  ].map(async ([name, lane]) => {
    const release = await gate.acquire({ lane })
    entered.push(name)
    return release
  })
  assert.deepEqual(gate.counts().queuedByLane, { reserved: 2, bulk: 2 })
  // The reserved slot comes free first, while the bulk lane is full: r1 passes b1. After that each is next in line.
  first[2]()
  const r1 = await waiters[1]
  first[0]()
  await waiters[0]
  first[1]()
  await waiters[2]
  r1()
  await waiters[3]
  assert.deepEqual(entered, ['r1', 'b1', 'b2', 'r2'])
})

test('bulk leaves the reserved share alone, reserved callers may take all', async () => {
  const gate = new Gate({ max: 4, reserved: 2, waitMs: 20 })
  await gate.acquire()
  await gate.acquire()
  await assert.rejects(gate.acquire(), refused('queue_timeout'))
  await gate.acquire({ lane: 'reserved' })
  await gate.acquire({ lane: 'reserved' })
  await assert.rejects(gate.acquire({ lane: 'reserved' }), refused('queue_timeout'))
  const { inFlightByLane, acquires, timeouts } = gate.counts()
  assert.deepEqual([inFlightByLane, acquires, timeouts], [{ reserved: 2, bulk: 2 }, 6, 2])
})

test('a waiter is refused at its deadline and not before', async () => {
  const gate = new Gate({ max: 1, waitMs: 80 })
  await gate.acquire()
  const start = performance.now()
  await assert.rejects(gate.acquire(), refused('queue_timeout'))
  // Timers may fire a millisecond early by this clock.
  assert.ok(performance.now() - start >= 78)
  assert.equal(gate.counts().queued, 0)
})

test('a waiter who goes leaves the queue and is not counted as a timeout', async () => {
  const gate = new Gate({ max: 1, waitMs: 10_000 })
  const release = await gate.acquire()
  const gone = new AbortController()
  const waiter = gate.acquire({ signal: gone.signal })
  gone.abort()
  await assert.rejects(waiter, refused('aborted'))
  release()
  const { inFlight, queued, timeouts } = gate.counts()
  assert.deepEqual([inFlight, queued, timeouts], [0, 0, 0])
  await assert.rejects(gate.acquire({ signal: gone.signal }), refused('aborted'))
})

// Over HTTP.

test('of six turns at once four run and two wait', async (t) => {
  const bridge = await bridgeFor(t)
  const turns = Array.from({ length: 6 }, () => turn(bridge, { hold_ms: 100 }))
  await until(() => bridge.counts().host.queued === 2)
  assert.equal(bridge.counts().host.inFlight, 4)
  assert.deepEqual(
    (await Promise.all(turns)).map(({ status }) => status),
    [200, 200, 200, 200, 200, 200]
  )
  assert.equal(bridge.counts().host.inFlight, 0)
  assert.equal(bridge.counts().admission.inFlight, 0)
})

test('each backend takes its slot where the real one does', async (t) => {
  const backends = ['claude', 'gemini', 'factory', 'pi', 'amp', 'sandbox']
  const held = async (bridge, model, lane, retained) => {
    const hold = await bridge.hold(1, { model, lane, retained })
    const { admission, host, scopedHost } = bridge.counts()
    await hold.release()
    return [admission.inFlight, host.inFlight, scopedHost.inFlightByLane.reserved, scopedHost.inFlightByLane.bulk]
  }
  const scoped = await bridgeFor(t, { scoped: true, backends })
  assert.deepEqual(await held(scoped, 'claude/sonnet', 'bulk'), [1, 0, 0, 1])
  assert.deepEqual(await held(scoped, 'CLAUDE', 'reserved'), [1, 0, 1, 0])
  assert.deepEqual(await held(scoped, 'claude', 'reserved', true), [0, 0, 0, 1])
  assert.deepEqual(await held(scoped, 'pi/x', 'reserved'), [1, 0, 0, 1])
  assert.deepEqual(await held(scoped, 'gemini/x', 'bulk'), [1, 1, 0, 0])
  assert.deepEqual(await held(scoped, 'factory/x', 'bulk'), [1, 1, 0, 0])
  assert.deepEqual(await held(scoped, 'amp/x', 'bulk'), [1, 0, 0, 0])
  assert.deepEqual(await held(scoped, 'sandbox/x', 'bulk'), [0, 0, 0, 0])
  const plain = await bridgeFor(t, { backends })
  assert.deepEqual(await held(plain, 'claude/sonnet', 'bulk'), [1, 1, 0, 0])
})

for (const stream of [false, true]) {
  test(`a caller who disconnects gives its place back, ${stream ? 'with' : 'without'} a stream`, async (t) => {
    const bridge = await bridgeFor(t, { admission: { max: 3, reserved: 0 }, host: { max: 2 } })
    const callers = []
    for (let i = 0; i < 4; i += 1) {
      const gone = new AbortController()
      const fields = { hold_ms: 60_000, stream }
      const ended = assert.rejects(turn(bridge, fields, { signal: gone.signal }), /aborted/)
      callers.push({ gone, ended })
      await until(() => bridge.counts().admission.acquires === i + 1)
    }
    const places = () => {
      const { admission, host } = bridge.counts()
      return [host.inFlight, host.queued, admission.inFlight, admission.queued].join()
    }
    await until(() => places() === '2,1,3,1')
    callers[3].gone.abort()
    await until(() => places() === '2,1,3,0')
    callers[2].gone.abort()
    await until(() => places() === '2,0,2,0')
    callers[1].gone.abort()
    callers[0].gone.abort()
    await until(() => places() === '0,0,0,0')
    await Promise.all(callers.map(({ ended }) => ended))
  })
}

test('a hold that cannot be had whole holds nothing', async (t) => {
  const bridge = await bridgeFor(t, { host: { waitMs: 30 } })
  await assert.rejects(bridge.hold(5), refused('queue_timeout'))
  assert.equal(bridge.counts().host.inFlight, 0)
  const four = await bridge.hold(4)
  assert.equal(bridge.counts().host.inFlight, 4)
  await four.release()
  assert.equal(bridge.counts().host.inFlight, 0)
})

// The probes of /health.

test('a probe takes a slot, a cached verdict takes none', async (t) => {
  const bridge = await bridgeFor(t, { probeMs: 100 })
  const first = health(bridge)
  await until(() => bridge.counts().host.inFlight === 1)
  assert.equal((await first).json.cached_verdicts, false)
  assert.equal(bridge.counts().host.acquires, 1)
  assert.equal((await health(bridge)).json.cached_verdicts, true)
  assert.equal(bridge.counts().host.acquires, 1)
})

test('a full bridge with a cached verdict answers 200 at once', async (t) => {
  const bridge = await bridgeFor(t)
  await health(bridge)
  await bridge.hold(4)
  const full = await health(bridge)
  assert.deepEqual([full.status, full.json.status, full.json.executor.in_flight], [200, 'ok', 4])
})

test('a full bridge without a verdict answers 503 after the acquire deadline', async (t) => {
  const bridge = await bridgeFor(t, { host: { waitMs: 150 } })
  await bridge.hold(4)
  const start = performance.now()
  const full = await health(bridge)
  assert.ok(performance.now() - start >= 148)
  const expected = JSON.parse(captured('health-degraded-because-full-acquire-timeout.json'))
  assert.deepEqual(paths(full.json), paths(expected))
  assert.deepEqual([full.status, full.json.status, full.json.backends[0].state], [503, 'degraded', 'unavailable'])
  assert.equal(full.json.backends[0].detail, 'host-executor: acquire timeout after 150ms (in_flight=4/4, queued=0)')
  assert.deepEqual(full.json.executor, { ...expected.executor, acquire_deadline_ms: 150 })
})

test('or after the probe timeout of 3.5 s, and leaves the probe in the queue', async (t) => {
  const bridge = await bridgeFor(t)
  const four = await bridge.hold(4)
  const start = performance.now()
  const full = await health(bridge)
  assert.ok(performance.now() - start >= 3_498)
  const expected = JSON.parse(captured('health-degraded-because-full-probe-timeout.json'))
  assert.deepEqual(paths(full.json), paths(expected))
  assert.deepEqual([full.status, full.json.status, full.json.backends[0].state], [503, 'degraded', 'error'])
  assert.equal(full.json.backends[0].detail, expected.backends[0].detail)
  assert.deepEqual(full.json.executor, expected.executor)
  await four.release()
  await until(() => bridge.counts().host.queued === 0)
})

test('a verdict expires', async (t) => {
  const bridge = await bridgeFor(t, { probeTtlMs: 0, probeTimeoutMs: 50 })
  assert.equal((await health(bridge)).status, 200)
  await bridge.hold(4)
  assert.equal((await health(bridge)).status, 503)
})

test('only a ready verdict is kept', async (t) => {
  const bridge = await bridgeFor(t, { probeTimeoutMs: 50 })
  const four = await bridge.hold(4)
  assert.equal((await health(bridge)).status, 503)
  await four.release()
  assert.equal((await health(bridge)).status, 200)
})

test('one ready backend makes the bridge ok', async (t) => {
  const bridge = await bridgeFor(t, { scoped: true, backends: ['claude', 'gemini'], probeTimeoutMs: 50 })
  await bridge.hold(2)
  const half = await health(bridge)
  assert.deepEqual(
    half.json.backends.map(({ state }) => state),
    ['error', 'ready']
  )
  assert.deepEqual([half.status, half.json.status], [200, 'ok'])
})

test('without probes /health takes no slot', async (t) => {
  const bridge = await bridgeFor(t, { probes: false, probeTtlMs: 0 })
  await bridge.hold(4)
  const full = await health(bridge)
  assert.deepEqual([full.status, full.json.executor.in_flight, full.json.executor.acquires], [200, 4, 4])
})

// The end.

test('after close() nothing keeps the process alive', async () => {
  const program = `
    import { startBridge } from ${JSON.stringify(new URL('../stand-in/bridge.mjs', import.meta.url))}
    import { send, sendTurn } from ${JSON.stringify(new URL('../stand-in/client.mjs', import.meta.url))}
    const until = async (holds) => { while (!holds()) await new Promise(setImmediate) }
    const outcome = (answer) => answer.then(({ status }) => status, () => 'cut')

    const bridge = await startBridge()
    const answered = await outcome(send(bridge.url + '/health'))
    await bridge.hold(3)
    const turns = [false, true, false].map((stream) => outcome(sendTurn(bridge.url, { stream, hold_ms: 60_000 })))
    await until(() => bridge.counts().host.queued === 2)
    await Promise.all([bridge.close(), bridge.close()])

    const probing = await startBridge({ probeMs: 60_000 })
    const probe = outcome(send(probing.url + '/health'))
    await until(() => probing.counts().host.inFlight === 1)
    await probing.close()

    console.log(answered, ...await Promise.all([...turns, probe]))
    await until(() => [bridge, probing].every(({ counts }) => counts().host.inFlight + counts().host.queued === 0))
    console.log(process.getActiveResourcesInfo().filter((name) => /^(Timeout|TCPServerWrap)$/.test(name)))
  `
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    timeout: 20_000
  })
  assert.equal(stdout, '200 cut cut cut cut\n[]\n')
})

test('an acquire deadline is capped as the real one', () => {
  assert.equal(readTurn({}, { execution: { acquireTimeoutMs: 5_000_000 } }).waitMs, 900_000)
})

test('a bridge can come back on its port', async (t) => {
  const first = await startBridge()
  await first.close()
  const second = await bridgeFor(t, { port: Number(new URL(first.url).port) })
  assert.equal(second.url, first.url)
  assert.equal((await health(second)).status, 200)
})
