// A process that makes calls of one kind: `leak-child.mjs <row> <calls> <the URL of a full bridge>`. Answers, as JSON, by
// how many bytes its memory grew from the first tenth to the end, and its resident set at most.

import { rowsOf } from './leak-rows.mjs'

const [name, given, bridgeUrl] = process.argv.slice(2)
const row = rowsOf(bridgeUrl)[name]
const { call, share = 1, isLater = false } = typeof row === 'function' ? { call: row } : row
const calls = Number(given) / share

/** Until here the runtime itself grows: it compiles, and fills its pools. */
const FIRST = Math.max(calls / 10, share === 1 ? 30_000 : 2_000)
const SAMPLES = 10
const SLICE = 10_000

/** In slices, so that finalizers run in between as they do in a real process. */
async function repeat(times) {
  for (let done = 0; done < times;) {
    const until = Math.min(done + SLICE, times)
    if (isLater) for (; done < until; done++) await call()
    else for (; done < until; done++) call()
    await turn()
  }
}

const turn = () => new Promise(setImmediate)

/** Uses the whole young generation, whose pages count from their first use on. */
let garbage
function fillYoung() {
  for (let at = 0; at < 300_000; at++) garbage = [at]
}

/** After a collection, the finalizers of what it found, and the collection that also empties the engine's pools. */
async function memory() {
  fillYoung()
  globalThis.gc()
  await turn()
  globalThis.gc()
  // Alone it leaves garbage on Node 20, which knows no flavors.
  globalThis.gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heapUsed, external, rss }
}

/** What the memory was after each of as many equal parts. */
async function sample(times) {
  const samples = []
  for (let at = 0; at < SAMPLES; at++) {
    await repeat(times / SAMPLES)
    samples.push(await memory())
  }
  return samples
}

// Sampled as well, since with each collection the engine drops more of the code that only the start needed.
const before = (await sample(FIRST)).at(-1)
const samples = await sample(calls)
const growth = (of) => samples.at(-1)[of] - before[of]
const most = Math.max(...samples.map(({ rss }) => rss)) - before.rss
const [heapUsed, external, rss] = ['heapUsed', 'external', 'rss'].map(growth)
process.stdout.write(JSON.stringify({ calls, heapUsed, external, rss, most }))
