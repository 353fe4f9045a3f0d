// What calls leave in memory: one process for each kind of call.

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { SUBJECTS } from './subjects.mjs'

const CHILD = fileURLToPath(new URL('memory-child.mjs', import.meta.url))
/**
 * A young generation of one size, so that its growth is not taken for a leak; no threads of the engine, since the
 * allocator of each keeps what it had at its most.
 */
const FLAGS = ['--expose-gc', '--min-semi-space-size=4', '--max-semi-space-size=4', '--single-threaded']

/** For every kind of call: bytes of JS heap a call, and the growth of resident memory, in bytes, over `calls` calls. */
export function memoryOfCalls(calls) {
  return Object.keys(SUBJECTS).map((name) => ({
    name,
    ...JSON.parse(execFileSync(process.execPath, [...FLAGS, CHILD, name, String(calls)], { encoding: 'utf8' }))
  }))
}
