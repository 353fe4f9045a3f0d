// Looks at the memory of this process such that what a call keeps is seen, and what the engine keeps is not: for the leak
// gate and the benchmark. The process is to be started with `FLAGS` and `QUIET`.

import { readFileSync } from 'node:fs'

/** A young generation of one size, so that its growth is not taken for a leak. */
export const FLAGS = ['--expose-gc', '--min-semi-space-size=4', '--max-semi-space-size=4']
/** V8's helpers compile and collect in threads, and each thread's allocator keeps what it had at its most. */
export const QUIET = '--single-threaded'

const SLICE = 10_000

/** Calls in slices, so that finalizers run in between as they do in a real process. */
export async function repeat(call, times, isLater) {
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

/** In bytes: after a collection, the finalizers of what it found, and the collection that empties the engine's pools. */
export async function settledMemory() {
  fillYoung()
  globalThis.gc()
  await turn()
  globalThis.gc()
  // Alone it leaves garbage on Node 20, which knows no flavors.
  globalThis.gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  const { heapUsed, external } = process.memoryUsage()
  return { heapUsed, external, rss: resident() }
}

/** Without the pages of files: more and more of the engine's own program is paged in by whatever runs for long. */
function resident() {
  if (process.platform !== 'linux') return process.memoryUsage.rss()
  const [, kibibytes] = /^RssAnon:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))
  return Number(kibibytes) * 1024
}
