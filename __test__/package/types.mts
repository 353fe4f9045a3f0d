// Compiled where the package was installed.

import { bridgeAdmissionRefusal, bridgeCapacity, classifyFailure } from 'bridge-admission'

export const now: string | undefined = bridgeAdmissionRefusal({ executor: { in_flight: 2, max: 4 } }, 4)
export const later: Promise<string | undefined> = bridgeAdmissionRefusal({ bridgeUrl: 'http://127.0.0.1:3344' })
export const free: number | null = bridgeCapacity(null).free
export const capacity: boolean = classifyFailure(undefined).capacity
// @ts-expect-error no number is a body
bridgeAdmissionRefusal(4)
