// A leak gate: `npm run leak -- [--calls 10000000]`. Calls every entry point that often, and compares the memory after
// the first tenth with the memory at the end. Exits with 1 where it grew.

import { parseArgs } from 'node:util'
import { bridgeAdmissionRefusal, bridgeCapacity, classifyFailure } from '../index.js'

const { values } = parseArgs({ options: { calls: { type: 'string', default: '10000000' } } })
const calls = Number(values.calls)

/**
 * What the collector and the allocator may keep more than before, in bytes: the resident set settles over the first
 * million calls. No block on the heap is smaller than 16 bytes, so that a leak in every call is above it from then on.
 */
const HEAP_GROWTH = 2 << 20
const RSS_GROWTH = 12 << 20

const health = { executor: { in_flight: 4, max: 4, queued: 1 }, admission: { active: 4, maxActive: 8 } }
const text = JSON.stringify(health)
const wide = JSON.stringify({ ...health, status: '満員 – voll' })
const bytes = Buffer.from(text)
const message = 'host-executor: acquire timeout after 1500ms (in_flight=4/4, queued=1)'
const body = JSON.stringify({ error: { type: 'executor_saturated', capacity: true, message } })
const error = new Error(`bridge 429: ${body}`, { cause: new Error(message) })

const throws = (call) => () => {
  try {
    call()
  } catch {
    return
  }
  throw new Error('no misuse')
}

const ENTRIES = {
  'bridgeAdmissionRefusal(object)': () => bridgeAdmissionRefusal(health),
  'bridgeAdmissionRefusal(text)': () => bridgeAdmissionRefusal(text),
  'bridgeAdmissionRefusal(text beyond ASCII)': () => bridgeAdmissionRefusal(wide),
  'bridgeAdmissionRefusal(bytes)': () => bridgeAdmissionRefusal(bytes),
  'bridgeAdmissionRefusal(no JSON)': () => bridgeAdmissionRefusal('{"executor":'),
  'bridgeAdmissionRefusal(misuse)': throws(() => bridgeAdmissionRefusal(health, 0)),
  'bridgeCapacity(object)': () => bridgeCapacity(health),
  'bridgeCapacity(text)': () => bridgeCapacity(text),
  'bridgeCapacity(bytes)': () => bridgeCapacity(bytes),
  'classifyFailure(text)': () => classifyFailure(body),
  'classifyFailure(bytes)': () => classifyFailure(Buffer.from(body)),
  'classifyFailure(error)': () => classifyFailure(error)
}

function memory() {
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, rss } = process.memoryUsage()
  return { heapUsed, rss }
}

const mib = (count) => `${(count / 2 ** 20).toFixed(2)} MiB`

/** In slices, so that finalizers run in between as they do in a real process. */
async function repeat(call, times) {
  for (let done = 0; done < times;) {
    for (const until = Math.min(done + 10_000, times); done < until; done++) call()
    await new Promise(setImmediate)
  }
}

for (const [name, call] of Object.entries(ENTRIES)) {
  await repeat(call, Math.ceil(calls / 10))
  const before = memory()
  await repeat(call, calls)
  const after = memory()
  const [heap, rss] = [after.heapUsed - before.heapUsed, after.rss - before.rss]
  const leaks = heap > HEAP_GROWTH || rss > RSS_GROWTH
  console.log(`${name}: ${calls.toLocaleString('en')} calls, heap ${mib(heap)}, rss ${mib(rss)}${leaks ? ' LEAK' : ''}`)
  if (leaks) process.exitCode = 1
}
