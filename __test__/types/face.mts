// What TypeScript takes of the public face, and what it does not. Compiled, never run.

import { bridgeAdmissionRefusal, bridgeCapacity, classifyFailure } from 'bridge-admission'
import type { BridgeSeam, Capacity, FailureClassification, GateName, HealthBody, Intended } from 'bridge-admission'

const seam: BridgeSeam = { bridgeUrl: 'http://127.0.0.1:3344', bridgeBearer: undefined, model: null }
const signal = new AbortController().signal
const asked: Promise<string | undefined> = bridgeAdmissionRefusal(seam, signal)
const plain: Promise<string | undefined> = bridgeAdmissionRefusal({ bridgeUrl: 'http://127.0.0.1:3344' })
const richer = { bridgeUrl: 'http://127.0.0.1:3344', bridgeBearer: 'x', model: 'pi/x', cwd: '/', extra: 5 }
const full: Promise<string | undefined> = bridgeAdmissionRefusal(richer, undefined, {
  intended: { slots: 4, lane: 'reserved', executor: 'scoped-host' },
  timeoutMs: 500
})

const intended: Intended = 4
interface OwnHealth {
  status: string
  executor: { in_flight: number }
}
declare const own: OwnHealth
for (const health of [{ executor: {} }, '{}', new Uint8Array(), Buffer.alloc(0), null, undefined, own, {}]) {
  const refusal: string | undefined = bridgeAdmissionRefusal(health, intended)
  const capacity: Capacity = bridgeCapacity(health)
  const free: number | null = capacity.free
  const name: GateName | undefined = capacity.limiting
  void [refusal, free, name]
}
const body: HealthBody = JSON.parse('{}')
void body

const failure: FailureClassification = classifyFailure(new Error('x') as unknown)
if (failure.kind === 'capacity') {
  const safe: true = failure.retrySafe
  const waited: number | undefined = failure.waitedMs
  const max: number | undefined = failure.executor?.max
  void [safe, waited, max, failure.reason]
} else {
  const capacity: false = failure.capacity
  void capacity
  // Only a capacity refusal has these, but all of them can be taken apart at once.
  const nothing: undefined = failure.executor ?? failure.reason ?? failure.waitedMs
  void nothing
}
const { kind, reason, waitedMs, executor } = failure
void [kind, reason, waitedMs, executor]
if (failure.capacity) void failure.executor

// @ts-expect-error A promise is no body: it would report nothing, and admit everything.
bridgeAdmissionRefusal(fetch('http://127.0.0.1:3344/health'))
// @ts-expect-error Nor is a response.
bridgeAdmissionRefusal(new Response())
// @ts-expect-error Nor is a number.
bridgeAdmissionRefusal(5)
// @ts-expect-error The intended slots go into the options.
bridgeAdmissionRefusal(seam, 4)
// @ts-expect-error A seam is asked, not read.
bridgeCapacity(seam)
// @ts-expect-error No such lane.
bridgeAdmissionRefusal({}, { slots: 1, lane: 'fast' })
// @ts-expect-error Slots are wanted.
bridgeAdmissionRefusal({}, { lane: 'bulk' })

void [asked, plain, full]
