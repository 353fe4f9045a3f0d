// A leak gate: `npm run leak -- [--calls 10000000] [--only seam] [--threads]`. Makes every kind of call that often, each
// in a process of its own that has made a fifth as many before, or more. Exits with 1 where its memory grew by more than in plain
// JavaScript. The bridge that the seam asks runs in this process, not in theirs.

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { startBridge } from '../stand-in/bridge.mjs'
import { rowsOf } from './rows.mjs'
import { FLAGS, QUIET } from './settled-memory.mjs'

const CHILD = fileURLToPath(new URL('child.mjs', import.meta.url))

/**
 * How many bytes may be more than those of the control before it. A block that the addon allocates takes 32 at least, a
 * value that JavaScript keeps 8: in 100,000 calls both are above it.
 */
const MOST = { heapUsed: 1 << 19, external: 1 << 19, rss: 1 << 20 }

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '10000000' },
    only: { type: 'string', default: '' },
    threads: { type: 'boolean', default: false }
  }
})

const flags = values.threads ? FLAGS : [...FLAGS, QUIET]

const mib = (bytes) => (bytes / 2 ** 20).toFixed(2).padStart(9)

/** Prints by how much a row grew, and returns it. A control itself may grow as it will. */
async function measure(name, control) {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, CHILD, name, values.calls, bridge.url])
  const { calls, most, ...growth } = JSON.parse(stdout)
  const leaks = control && Object.keys(MOST).some((of) => growth[of] - Math.max(control[of], 0) > MOST[of])
  const cells = [growth.heapUsed, growth.external, growth.rss, most].map(mib).join(' ')
  console.log(`${name.padEnd(44)}${calls.toLocaleString('en').padStart(11)}${cells}${leaks ? '  LEAK' : ''}`)
  if (leaks) process.exitCode = 1
  return growth
}

const bridge = await startBridge({ probes: false })
await bridge.hold(4)
console.log(
  `Node ${process.versions.node} ${flags.join(' ')}\n${'MiB: calls     heap  external       rss   at most'.padStart(96)}`
)
let control, isAny
for (const name of Object.keys(rowsOf(bridge.url))) {
  if (name.startsWith('control')) {
    control = { name }
  } else if (name.includes(values.only)) {
    control.growth ??= await measure(control.name)
    await measure(name, control.growth)
    isAny = true
  }
}
await bridge.close()
if (!isAny) throw new Error(`no kind of call has “${values.only}” in its name`)
