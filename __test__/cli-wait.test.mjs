// Waiting for room, and running a command in it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import progress from '../lib/cli/progress.js'
import waiting from '../lib/cli/wait.js'
import { startBridge } from '../stand-in/bridge.mjs'
import { run, start, unix } from './cli/run.mjs'

const { obstacleOf } = progress
const { askUntilRoom, pauseAfter } = waiting

const FULL = readFileSync(new URL('captures/health-host-full-queued-1.json', import.meta.url))
const IDLE = readFileSync(new URL('captures/health-host-idle.json', import.meta.url))
/** A slot is seen within so much of its release. */
const SEEN_WITHIN_MS = 2_000

/** A full bridge, and its four slots. */
async function fullBridge(t, settings) {
  const bridge = await startBridge(settings)
  t.after(() => bridge.close())
  return { bridge, held: await bridge.hold(4) }
}

/** A server that answers with each body once, in order, and with the last one from then on. */
async function playing(t, bodies) {
  let asked = 0
  const server = createServer((_, response) => response.end(bodies[Math.min(asked++, bodies.length - 1)]))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${server.address().port}`
}

/** Resolves once the child has said on standard error that it waits. */
async function waits(child) {
  const ended = child.done.then(({ code }) => {
    throw new Error(`it ended with ${code}: ${child.errors}`)
  })
  // Later it may end.
  ended.catch(() => {})
  while (!child.errors.includes('waiting')) await Promise.race([once(child.stderr, 'data'), ended])
}

/** A report with just what the waiting reads. */
const report = (verdict, exitCode, error = null) => ({ verdict, exitCode, error })
const ROOM = report('room', 0)
const NO_ROOM = report('no-room', 75)
const DEAD = report('unreachable', 69, 'no connection')

/** Lets `askUntilRoom` see the reports, without its pauses, whose lengths it gives back. */
async function play(reports, waitMs = 600_000) {
  const pauses = []
  const told = []
  const last = await askUntilRoom({
    ask: async () => reports.shift(),
    waitMs,
    tell: ({ verdict }) => told.push(verdict),
    pause: async (ms) => pauses.push(ms)
  })
  return { last, told, pauses }
}

test('pauses: 1 to 1.25 s while the bridge answers, 1 to 15 s while it does not', () => {
  const bounds = [1_000, 2_000, 4_000, 8_000]
  bounds.forEach((shortest, failures) => {
    assert.equal(
      pauseAfter(failures, () => 0),
      shortest
    )
    assert.equal(
      pauseAfter(failures, () => 1),
      shortest * 1.25
    )
  })
  for (const failures of [4, 5, 100, 10_000])
    assert.equal(
      pauseAfter(failures, () => 0),
      15_000
    )
})

test('asks until there is room, and backs off from a bridge that does not answer', async () => {
  const { last, told, pauses } = await play([NO_ROOM, DEAD, DEAD, DEAD, NO_ROOM, DEAD, ROOM])
  assert.equal(last, ROOM)
  assert.deepEqual(told, ['no-room', 'unreachable', 'unreachable', 'unreachable', 'no-room', 'unreachable'])
  const starts = [1_000, 2_000, 4_000, 8_000, 1_000, 2_000]
  assert.equal(pauses.length, starts.length)
  starts.forEach((shortest, i) => assert.ok(pauses[i] >= shortest && pauses[i] <= shortest * 1.25, `${pauses}`))
})

test('what waiting cannot change ends it', async () => {
  const ends = [ROOM, report('never-fits', 78), report('unauthorized', 77, 'no'), report('unreachable', 0, 'open')]
  for (const last of ends) {
    assert.deepEqual(await play([last]), { last, told: [], pauses: [] })
  }
})

test('the first answer is waited for, the end of the time interrupts the others', async () => {
  const aborted = Object.assign(new Error('aborted'), { name: 'AbortError' })
  const untilAborted = (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(aborted)))
  // The signal alone does not keep the process alive, as the asking of a bridge does.
  const alive = setTimeout(() => {}, 60_000)
  const ask = (signal) => (signal ? untilAborted(signal) : Promise.resolve(NO_ROOM))
  assert.equal(await askUntilRoom({ ask, waitMs: 50, tell() {}, pause: async () => {} }), NO_ROOM)
  clearTimeout(alive)
})

test('the obstacle in words', () => {
  const gate = { name: 'executor', active: 4, limit: 4, free: 0, queued: 2 }
  const of = (changes) => obstacleOf({ error: null, limiting: 'executor', gates: [{ ...gate, ...changes }] })
  assert.equal(of({}), 'executor is full (4/4), 2 ahead')
  assert.equal(of({ queued: null }), 'executor is full (4/4)')
  assert.equal(of({ active: 3, free: 1, queued: 0 }), 'executor has 1 free (3/4), 0 ahead')
  assert.equal(obstacleOf({ error: 'bridge x cannot be reached: y' }), 'bridge x cannot be reached: y')
})

for (const [kind, settings] of [
  ['answers at once', { probes: false }],
  ['hangs on its probes', {}]
]) {
  test(`--wait ends within 2 s of a release, where the full bridge ${kind}`, async (t) => {
    const { bridge, held } = await fullBridge(t, settings)
    const child = start([bridge.url, '--wait', '10m', '--json'])
    await waits(child)
    // The releases of several runs fall on all parts of a round.
    await sleep(Math.random() * 1_500)
    const released = performance.now()
    await held.release()
    const { code, stdout, stderr } = await child.done
    const seen = performance.now() - released
    assert.equal(code, 0)
    assert.equal(JSON.parse(stdout).verdict, 'room')
    assert.match(stderr, /^bridge-admission: waiting \ds of 10m00s: executor is full \(4\/4\), \d ahead\n$/)
    assert.ok(seen < SEEN_WITHIN_MS, `${seen} ms`)
  })
}

test('two waiters in parallel both end', async (t) => {
  const { bridge, held } = await fullBridge(t, { probes: false })
  const waiters = [start([bridge.url, '--wait', '10m', '-n', '4']), start([bridge.url, '--wait', '10m'])]
  await Promise.all(waiters.map(waits))
  await held.release()
  for (const { code } of await Promise.all(waiters.map(({ done }) => done))) assert.equal(code, 0)
})

test('a bridge that dies and comes back is survived', async (t) => {
  const { bridge } = await fullBridge(t, { probes: false })
  const child = start([bridge.url, '--wait', '10m'])
  await waits(child)
  await bridge.close()
  // Longer than the longest pause: at least one asking meets nobody.
  await sleep(1_500)
  assert.equal(child.exitCode, null)
  const port = Number(new URL(bridge.url).port)
  const back = await startBridge({ port, probes: false })
  t.after(() => back.close())
  assert.equal((await child.done).code, 0)
})

test('a bridge that is not there yet is waited for', async (t) => {
  const gone = await startBridge()
  await gone.close()
  const child = start([gone.url, '--wait', '10m'])
  await waits(child)
  assert.match(child.errors, /cannot be reached: connect ECONNREFUSED/)
  const back = await startBridge({ port: Number(new URL(gone.url).port) })
  t.after(() => back.close())
  assert.equal((await child.done).code, 0)
})

test('a body that becomes unreadable is no room', async (t) => {
  const { code, stdout, stderr } = await run([await playing(t, [FULL, 'x']), '--wait', '2500ms'])
  assert.deepEqual([code, stdout], [69, ''])
  assert.match(stderr, /answers HTTP 200 with no \/health body\n$/)
  assert.equal((await run([await playing(t, [FULL, 'x', IDLE]), '--wait', '10m'])).code, 0)
})

test('a body that becomes unreadable is room with --fail-open', async (t) => {
  const { code, stderr } = await run([await playing(t, [FULL, 'x']), '--wait', '10m', '--fail-open'])
  assert.equal(code, 0)
  assert.match(stderr, /with no \/health body; taken for room, as --fail-open says\n$/)
})

test('what can never fit is not waited for', async (t) => {
  const { code, stderr } = await run([await playing(t, [FULL]), '--wait', '10m', '-n', '5'])
  assert.deepEqual([code, stderr], [78, ''])
})

test('the end of the time is exit 75', async (t) => {
  const { code, stdout } = await run([await playing(t, [FULL]), '--wait', '1500ms'])
  assert.equal(code, 75)
  assert.match(stdout, /\nno room for 1 now: bridge http:.* executor is full: in_flight 4 of max 4 .*\n$/)
})

test('--quiet waits in silence', async (t) => {
  const { code, stdout, stderr } = await run([await playing(t, [FULL, IDLE]), '--wait', '10m', '-q'])
  assert.deepEqual([code, stdout, stderr], [0, '', ''])
})

test('signals end the waiting at once', unix, async (t) => {
  const url = await playing(t, [FULL])
  for (const [signal, wanted] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129]
  ]) {
    const child = start([url, '--wait', '10m', '--exec', '--', 'true'])
    await waits(child)
    child.kill(signal)
    const { code, stdout } = await child.done
    assert.deepEqual([code, stdout], [wanted, ''], signal)
  }
})

test('the bearer is not in the arguments of the process', { skip: !existsSync('/proc/self/cmdline') }, async (t) => {
  const { bridge } = await fullBridge(t, { probes: false, bearer: 'bearer-of-the-test' })
  const child = start([bridge.url, '--wait', '10m'], { env: { BRIDGE_BEARER: 'bearer-of-the-test' } })
  await waits(child)
  const seen = ['cmdline', 'comm'].map((file) => readFileSync(`/proc/${child.pid}/${file}`, 'utf8')).join()
  child.kill('SIGINT')
  const { stdout, stderr } = await child.done
  assert.match(seen, /--wait/)
  assert.doesNotMatch(seen + stdout + stderr, /bearer-of-the-test/)
})

test("--exec: the streams and the exit code are the command's", unix, async (t) => {
  const url = await playing(t, [FULL, IDLE])
  const command = ['sh', '-c', 'read line; echo "out $line"; echo err >&2; exit 7']
  const args = [url, '--wait', '10m', '-q', '--exec', '--', ...command]
  const { code, stdout, stderr } = await run(args, { input: 'in\n' })
  assert.deepEqual([code, stdout, stderr], [7, 'out in\n', 'err\n'])
})

test('--exec: no room, no command', async (t) => {
  const url = await playing(t, [FULL])
  const command = ['--exec', '--', process.execPath, '-p', '"ran"']
  const { code, stdout, stderr } = await run([url, ...command])
  const refusal = `bridge ${url} executor is full: in_flight 4 of max 4 (queued 1, acquire deadline 1500 ms)`
  assert.deepEqual([code, stdout, stderr], [75, '', `bridge-admission: no room for 1 now: ${refusal}\n`])
  assert.deepEqual((await run(['http://127.0.0.1:1', ...command])).stdout, '')
  assert.deepEqual((await run(['http://127.0.0.1:1', '--fail-open', ...command])).stdout, 'ran\n')
})

test('--exec: a command that a signal ends is 128 + n', unix, async (t) => {
  const url = await playing(t, [IDLE])
  for (const [signal, wanted] of [
    ['KILL', 137],
    ['TERM', 143],
    ['INT', 130]
  ]) {
    const { code } = await run([url, '--exec', '--', 'sh', '-c', `kill -${signal} $$`])
    assert.equal(code, wanted, signal)
  }
})

test('--exec: signals are passed on', unix, async (t) => {
  const url = await playing(t, [IDLE])
  const script = 'trap "echo got $1; exit 5" "$1"; echo ready; while :; do sleep 0.05; done'
  for (const signal of ['TERM', 'INT', 'HUP', 'QUIT', 'USR1', 'USR2']) {
    const child = start([url, '--exec', '--', 'sh', '-c', script, 'sh', signal])
    await once(child.stdout, 'data')
    child.kill(`SIG${signal}`)
    const { code, stdout } = await child.done
    assert.deepEqual([code, stdout], [5, `ready\ngot ${signal}\n`], signal)
  }
})

test('--exec: a command that cannot be run', unix, async (t) => {
  const url = await playing(t, [IDLE])
  const absent = await run([url, '--exec', '--', 'no-such-command'])
  assert.deepEqual([absent.code, absent.stderr], [127, 'bridge-admission: no-such-command cannot be run: not found\n'])
  const directory = await run([url, '--exec', '--', '/'])
  assert.deepEqual([directory.code, directory.stderr], [126, 'bridge-admission: / cannot be run: spawn / EACCES\n'])
})
