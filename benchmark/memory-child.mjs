// A process that makes calls of one kind and says what they left: `memory-child.mjs <subject> <calls>`.
// Answers, as JSON: bytes of JS heap a call, and by how much the resident memory grew after the first of the calls.

import { getHeapStatistics } from 'node:v8'
import { repeat, settledMemory } from '../leak/settled-memory.mjs'
import { SUBJECTS } from './subjects.mjs'
import { median } from './time.mjs'

/** Few enough that the young generation is mostly not collected between: the median of the windows is without. */
const WINDOW = 200
const WINDOWS = 51

const [name, calls] = process.argv.slice(2)
const { call, later, share = 1, open, close } = SUBJECTS[name]
const many = Math.round(Number(calls) * share)
/** Until here the engine itself grows: it is seen to compile anew, at 400,000 thrown errors, and to keep a megabyte. */
const first = Math.max(many / 10, 500_000 * share)

await open?.()
async function heapUse(times) {
  const windows = []
  for (let window = 0; window < WINDOWS; window++) {
    const before = getHeapStatistics().used_heap_size
    if (later) for (let left = times; left > 0; left--) await call()
    else for (let left = times; left > 0; left--) call()
    windows.push(getHeapStatistics().used_heap_size - before)
  }
  return median(windows)
}

// In parts, since with each collection the engine drops more of the code that only the start needed.
for (let part = 0; part < 10; part++) {
  await repeat(call, first / 10, later)
  await settledMemory()
}
// Asking costs some bytes itself.
const heapBytes = Math.round(((await heapUse(WINDOW)) - (await heapUse(0))) / WINDOW)
const settled = await settledMemory()
await repeat(call, many - first, later)
const { rss } = await settledMemory()
process.stdout.write(JSON.stringify({ calls: many, heapBytes, growth: rss - settled.rss }))
close?.()
