// A leak gate: `npm run leak -- [--calls 10000000] [--only seam] [--threads]`. Makes every kind of call that often, each
// in a process of its own, and compares the memory after the first tenth with the memory at the end. Exits with 1 where
// it grew. The bridge that the seam asks runs in this process, so that what it keeps is not counted.

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { startBridge } from '../stand-in/bridge.mjs'
import { rowsOf } from './leak-rows.mjs'

const CHILD = fileURLToPath(new URL('leak-child.mjs', import.meta.url))
/** A young generation of one size, so that its growth is not taken for a leak. */
const FLAGS = ['--expose-gc', '--min-semi-space-size=4', '--max-semi-space-size=4']
/** V8's helpers compile and collect in threads, and each thread's allocator keeps what it had at its most. */
const QUIET = '--single-threaded'

/** In bytes. No block on the heap is smaller than 16, so that a leak in each of 100,000 calls is above it. */
const MOST = 1 << 20

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '10000000' },
    only: { type: 'string', default: '' },
    threads: { type: 'boolean', default: false }
  }
})

const mib = (bytes) => (bytes / 2 ** 20).toFixed(2).padStart(9)

const bridge = await startBridge({ probes: false })
await bridge.hold(4)
const flags = values.threads ? FLAGS : [...FLAGS, QUIET]
console.log(
  `Node ${process.versions.node} ${flags.join(' ')}\n${'MiB: calls     heap  external       rss   at most'.padStart(96)}`
)
for (const name of Object.keys(rowsOf(bridge.url)).filter((name) => name.includes(values.only))) {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, CHILD, name, values.calls, bridge.url])
  const { calls, heapUsed, external, rss, most } = JSON.parse(stdout)
  const leaks = [heapUsed, external, rss].some((growth) => growth > MOST)
  const cells = [heapUsed, external, rss, most].map(mib).join(' ')
  console.log(`${name.padEnd(44)}${calls.toLocaleString('en').padStart(11)}${cells}${leaks ? '  LEAK' : ''}`)
  if (leaks) process.exitCode = 1
}
await bridge.close()
