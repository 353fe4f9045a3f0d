// A process that makes calls of one kind: `child.mjs <row> <calls> <the URL of a full bridge>`. Answers, as JSON, by
// how many bytes its memory grew over the calls, and its resident set at most.

import { rowsOf } from './rows.mjs'
import { repeat, settledMemory } from './settled-memory.mjs'

const [name, given, bridgeUrl] = process.argv.slice(2)
const row = rowsOf(bridgeUrl)[name]
const { call, share = 1, isLater = false } = typeof row === 'function' ? { call: row } : row
const calls = Number(given) / share

/** Until here the runtime itself grows: it compiles, and fills its pools. */
const FIRST = Math.max(calls / 10, share === 1 ? 30_000 : 2_000)
const SAMPLES = 10

/** What the memory was after each of as many equal parts. */
async function sample(times) {
  const samples = []
  for (let at = 0; at < SAMPLES; at++) {
    await repeat(call, times / SAMPLES, isLater)
    samples.push(await settledMemory())
  }
  return samples
}

// Sampled as well, since with each collection the engine drops more of the code that only the start needed.
await sample(FIRST)
// The longer the engine goes on without a full collection, the more its collector takes for one, and keeps.
await repeat(call, calls / SAMPLES, isLater)
const before = await settledMemory()
const samples = await sample(calls)
const growth = (of) => samples.at(-1)[of] - before[of]
const most = Math.max(...samples.map(({ rss }) => rss)) - before.rss
const [heapUsed, external, rss] = ['heapUsed', 'external', 'rss'].map(growth)
process.stdout.write(JSON.stringify({ calls, heapUsed, external, rss, most }))
