// A process that makes calls of one kind and says what they left: `memory-child.mjs <subject> <calls>`.
// Answers, as JSON: bytes of JS heap a call, and by how much the resident memory grew after the first of the calls.

import { getHeapStatistics } from 'node:v8'
import { SUBJECTS } from './subjects.mjs'
import { median } from './time.mjs'

/** Few enough that the young generation is mostly not collected between: the median of the windows is without. */
const WINDOW = 200
const WINDOWS = 51

const [name, calls] = process.argv.slice(2)
const { call, later, share = 1, open, close } = SUBJECTS[name]
const many = Math.round(Number(calls) * share)
/** Until here the runtime itself grows: an error is seen to take 300,000 calls until its memory is settled. */
const first = Math.max(many / 10, 300_000 * share)

const run = later
  ? async (times) => {
      for (; times > 0; times--) await call()
    }
  : (times) => {
      for (; times > 0; times--) call()
    }

/** After the collection that also empties the engine's pools of pages. */
function settledRss() {
  for (let time = 0; time < 2; time++) gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  return process.memoryUsage.rss()
}

await open?.()
async function heapUse(times) {
  const windows = []
  for (let window = 0; window < WINDOWS; window++) {
    const before = getHeapStatistics().used_heap_size
    await run(times)
    windows.push(getHeapStatistics().used_heap_size - before)
  }
  return median(windows)
}

// In parts, since with each collection the engine drops more of the code that only the start needed.
for (let part = 0; part < 10; part++) {
  await run(first / 10)
  settledRss()
}
// Asking costs some bytes itself.
const heapBytes = Math.round(((await heapUse(WINDOW)) - (await heapUse(0))) / WINDOW)
const settled = settledRss()
await run(many - first)
process.stdout.write(JSON.stringify({ calls: many, heapBytes, growth: settledRss() - settled }))
close?.()
