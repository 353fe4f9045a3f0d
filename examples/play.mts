// A play on one bridge: asked for as a whole before its first spawn, and each turn retried only where that is safe.

import { setTimeout as sleep } from 'node:timers/promises'
import { bridgeAdmissionRefusal, classifyFailure, type BridgeSeam } from 'bridge-admission'

/** A server may ask for a pause that no timer can hold. */
const LONGEST_PAUSE_MS = 60_000

/** Runs one turn under a run id and hands on its events. Throws what the bridge or the provider did. */
export type Spawn = (turn: string, runId: string, onEvent: (event: string) => void) => Promise<string>

/** The bridge had no room, so nothing was spawned. */
export class NotStarted extends Error {
  readonly providerDispatch = 'not_started'
}

export interface PlayOptions {
  readonly turns: readonly string[]
  readonly spawn: Spawn
  readonly signal?: AbortSignal | undefined
  /** How often a turn may be sent, in all. 3 by default. */
  readonly attempts?: number
}

/** Spawns all turns at once, or none: a play that gets half of its slots waits for the other half. */
export async function play(seam: BridgeSeam, { turns, spawn, signal, attempts = 3 }: PlayOptions): Promise<string[]> {
  const refusal = await bridgeAdmissionRefusal(seam, signal, { intended: turns.length })
  if (refusal !== undefined) throw new NotStarted(refusal)
  return Promise.all(turns.map((turn) => send(turn, { spawn, signal, attempts })))
}

async function send(
  turn: string,
  { spawn, signal, attempts }: { spawn: Spawn; signal?: AbortSignal | undefined; attempts: number }
): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    let heard = false
    try {
      // A refusal is replayed for its run id, so each attempt has one of its own.
      return await spawn(turn, crypto.randomUUID(), () => (heard = true))
    } catch (error) {
      const failure = classifyFailure(error)
      // What was heard of the turn is the caller's own knowledge: such a turn ran, whatever ended it.
      if (!failure.retrySafe || heard || attempt === attempts) {
        throw new Error(`${turn}: ${failure.message}`, { cause: error })
      }
      await sleep(Math.min(failure.retryAfterMs ?? 1_000 * 2 ** attempt, LONGEST_PAUSE_MS), undefined, { signal })
    }
  }
}
