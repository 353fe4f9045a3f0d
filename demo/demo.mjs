// The incident, played on a stand-in bridge with yesterday's check and with this package.
// Exits with 1 if it plays otherwise than told.
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { bridgeAdmissionRefusal, classifyFailure } from '../index.js'
import { startBridge } from '../stand-in/bridge.mjs'
import { send, sendTurn } from '../stand-in/client.mjs'

const PLAY = ['root', 'worker 1', 'worker 2', 'worker 3']
const FOREIGN_RUNS = 3
const ACQUIRE_DEADLINE_MS = 1_500
// Longer than a turn may wait, first in the admission lane and then for a slot.
const RUN_MS = 2 * ACQUIRE_DEADLINE_MS + 1_000
const BEARER = 'bearer-of-the-demo'
const AUTHORIZATION = { authorization: `Bearer ${BEARER}` }
const MODEL = 'claude/sonnet'
const COLUMNS = 100

/** Yesterday's check: the bulk lane where it is reported, else the whole lane. The executor it knows nothing of. */
function laneOnlyRefusal(url, { admission }) {
  const { active, maxActive, bulkMaxActive, activeByClass } = admission
  const bulk = activeByClass?.bulk
  if (Number.isFinite(bulk) && Number.isFinite(bulkMaxActive)) {
    if (bulk < bulkMaxActive) return undefined
    const total = `(total active ${active} of maxActive ${maxActive})`
    return `bridge ${url} bulk admission is full: active ${bulk} of bulkMaxActive ${bulkMaxActive} ${total}`
  }
  return active < maxActive ? undefined : `bridge ${url} admission is full: active ${active} of maxActive ${maxActive}`
}

/** What the runtime makes of an answer that is not 200: the body's first 300 characters, as a provider's failure. */
function failureOf({ status, body }) {
  return new Error(`bridgeExecutor: bridge ${status}: ${body.slice(0, 300)}`)
}

async function spawnTurn(url, name, holdMs) {
  const fields = { model: MODEL, messages: [{ role: 'user', content: name }], hold_ms: holdMs }
  return { name, ...(await sendTurn(url, fields, { headers: AUTHORIZATION })) }
}

async function readHealth(url) {
  return JSON.parse((await send(`${url}/health`, { headers: AUTHORIZATION })).body)
}

function describe({ executor, admission }) {
  const { activeByClass, queuedByClass, bulkMaxActive } = admission
  return (
    `executor: ${executor.in_flight} of ${executor.max} in flight, ${executor.queued} queued; ` +
    `bulk lane: ${activeByClass.bulk} of ${bulkMaxActive} active, ${queuedByClass.bulk} queued`
  )
}

/** Runs an act on a bridge of its own, on which the foreign runs hold their slots already. */
async function act(title, script) {
  const bridge = await startBridge({ bearer: BEARER, host: { waitMs: ACQUIRE_DEADLINE_MS } })
  try {
    const foreign = await bridge.hold(FOREIGN_RUNS)
    console.log(`\n${title}`)
    const start = performance.now()
    const say = (who, what) => {
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      print(`${seconds.padStart(5)} s  ${who.padEnd(9)}`, what)
    }
    say('bridge', describe(await readHealth(bridge.url)))
    return await script({ url: bridge.url, foreign, say })
  } finally {
    await bridge.close()
  }
}

async function yesterday({ url, say }) {
  const refusal = laneOnlyRefusal(url, await readHealth(url))
  expect('the lane-only check refuses nothing', refusal, undefined)
  say('check', 'room')
  say('play', `spawns ${PLAY.join(', ')}`)
  const spawned = performance.now()
  const turns = PLAY.map(async (name) => {
    const turn = await spawnTurn(url, name, RUN_MS)
    const waited = ((performance.now() - spawned) / 1000).toFixed(1)
    if (turn.status === 200) say(name, 'done')
    else say(name, `refused after ${waited} s: HTTP ${turn.status}, read as a provider failure`)
    return turn
  })
  await sleep(300)
  say('bridge', describe(await readHealth(url)))
  const answers = await Promise.all(turns)
  const refused = answers.filter(({ status }) => status === 429)
  expect('one turn runs', answers.filter(({ status }) => status === 200).length, 1)
  expect('the others are refused', refused.length, PLAY.length - 1)
  say('play', `lost: ${refused.length} of ${PLAY.length} turns blamed on a provider that was never called`)
  return refused[0]
}

async function today({ url, foreign, say }) {
  const seam = { bridgeUrl: url, bridgeBearer: BEARER, model: MODEL }
  const ask = () => bridgeAdmissionRefusal(seam, undefined, { intended: PLAY.length })

  const refusal = await ask()
  const wanted =
    `bridge ${url} executor has no room for ${PLAY.length}: in_flight ${FOREIGN_RUNS} of max 4 ` +
    `(queued 0, acquire deadline ${ACQUIRE_DEADLINE_MS} ms)`
  expect('the check refuses', refusal, wanted)
  say('check', refusal)
  say('play', 'spawns nothing and waits')
  await sleep(700)
  await foreign.release()
  say('foreign', `the ${FOREIGN_RUNS} runs end`)
  expect('there is room after them', await ask(), undefined)
  say('check', 'room')
  say('play', `spawns ${PLAY.join(', ')}`)
  const turns = PLAY.map((name) => spawnTurn(url, name, 600))
  await sleep(300)
  const running = await readHealth(url)
  say('bridge', describe(running))
  expect('all turns run at once', [running.executor.in_flight, running.executor.queued], [PLAY.length, 0])
  const statuses = (await Promise.all(turns)).map(({ status }) => status)
  expect(
    'all turns end well',
    statuses,
    PLAY.map(() => 200)
  )
  say('play', `done: ${PLAY.length} of ${PLAY.length} turns ran, none waited`)
}

function tellRefusedTurn(turn) {
  console.log(`\nThe turn of ${turn.name} yesterday, as each side tells it`)
  const failure = failureOf(turn)
  print('  runtime           ', `provider failure: ${failure.message}`)
  const { kind, reason, retrySafe, message } = classifyFailure(failure)
  print('  classifyFailure   ', `kind ${kind}, reason ${reason}, retrySafe ${retrySafe}`)
  print('                    ', message)
  expect('the refusal is classified', [kind, reason, retrySafe], ['capacity', 'acquire-timeout', true])
}

/** Prints `text` after `label`, wrapped at spaces and commas, its further lines under its first. */
function print(label, text) {
  const width = COLUMNS - label.length
  const lines = text.match(new RegExp(`.{1,${width}}(?:(?<=,)\\s*|\\s+|$)|.{${width}}`, 'g'))
  lines.forEach((line, i) => console.log((i === 0 ? label : ' '.repeat(label.length)) + line.trimEnd()))
}

class PlayedOtherwise extends Error {}

function expect(what, actual, wanted) {
  if (isDeepStrictEqual(actual, wanted)) return
  throw new PlayedOtherwise(`${what}: wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(actual)}`)
}

try {
  print('', 'A bridge with 4 executor slots behind an admission lane of 8, of which 6 are for bulk turns.')
  print('', `${FOREIGN_RUNS} foreign runs hold a slot each. A play of three workers and a root needs ${PLAY.length}.`)
  const refused = await act('Yesterday: the check reads the admission lane alone', yesterday)
  await act(`Today: bridgeAdmissionRefusal(seam, undefined, { intended: ${PLAY.length} })`, today)
  tellRefusedTurn(refused)
} catch (err) {
  if (!(err instanceof PlayedOtherwise)) throw err
  console.error(`\nThe incident did not play as told. ${err.message}`)
  process.exitCode = 1
}
