// The types as TypeScript resolves them, and the examples: compiled, and run on a bridge.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startBridge } from '../stand-in/bridge.mjs'
import { sendTurn } from '../stand-in/client.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))

/** What the compiler prints: nothing where all is well. */
async function compile(...args) {
  try {
    return (await promisify(execFile)(process.execPath, [tsc, ...args], { cwd: root })).stdout
  } catch (error) {
    return error.stdout
  }
}

for (const [module, moduleResolution] of [
  ['nodenext', 'nodenext'],
  ['node16', 'node16'],
  ['esnext', 'bundler']
]) {
  test(`the types under ${moduleResolution}`, async () => {
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--types', 'node']
    const how = ['--module', module, '--moduleResolution', moduleResolution]
    assert.equal(await compile(...options, ...how, '__test__/types/face.mts'), '')
  })
}

test('the example: a play as a whole, and each turn again where that is safe', async (t) => {
  assert.equal(await compile('-p', 'examples'), '')
  const { NotStarted, play } = await import('../target/examples/play.mjs')
  const bridge = await startBridge({ host: { waitMs: 200 } })
  t.after(() => bridge.close())
  const seam = { bridgeUrl: bridge.url, model: 'claude/sonnet' }
  const turns = ['root', 'worker 1', 'worker 2', 'worker 3']
  const runIds = []

  const spawn = async (turn, runId, onEvent) => {
    runIds.push(runId)
    const { status, body } = await sendTurn(bridge.url, { messages: [{ role: 'user', content: turn }] })
    if (status !== 200) throw new Error(`bridgeExecutor: bridge ${status}: ${body.slice(0, 300)}`)
    onEvent(body)
    return turn
  }

  const foreign = await bridge.hold(3)
  const refused = await play(seam, { turns, spawn }).then(assert.fail, (error) => error)
  assert.ok(refused instanceof NotStarted)
  assert.equal(
    refused.message,
    `bridge ${bridge.url} executor has no room for 4: in_flight 3 of max 4 (queued 0, acquire deadline 200 ms)`
  )
  assert.deepEqual(runIds, [], 'nothing was spawned')

  // The fourth slot is free. It goes between the check and the spawn, and comes back after the first refusal.
  let thief
  const late = async (turn, runId, onEvent) => {
    thief ??= await bridge.hold(1)
    try {
      return await spawn(turn, runId, onEvent)
    } catch (error) {
      // The bridge's own hint is five seconds.
      error.retry_after_ms = 1
      await thief.release()
      throw error
    }
  }
  assert.deepEqual(await play(seam, { turns: ['root'], spawn: late }), ['root'])
  assert.equal(new Set(runIds).size, 2, 'each attempt has a run id of its own')

  await foreign.release()
  assert.deepEqual(await play(seam, { turns, spawn }), turns)
  const failing = () =>
    Promise.reject(new Error('bridgeExecutor: bridge 502: {"error":{"message":"x","type":"upstream"}}'))
  await assert.rejects(play(seam, { turns: ['root'], spawn: failing }), {
    message: 'root: bridgeExecutor: bridge 502: {"error":{"message":"x","type":"upstream"}}'
  })
})
