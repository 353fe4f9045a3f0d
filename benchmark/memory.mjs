// What calls leave in memory: one process for each kind of call.

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { FLAGS, QUIET } from '../leak/settled-memory.mjs'
import { SUBJECTS } from './subjects.mjs'

const CHILD = fileURLToPath(new URL('memory-child.mjs', import.meta.url))

/** For every kind of call: bytes of JS heap a call, and the growth of resident memory, in bytes, over `calls` calls. */
export function memoryOfCalls(calls) {
  return Object.keys(SUBJECTS).map((name) => ({
    name,
    ...JSON.parse(execFileSync(process.execPath, [...FLAGS, QUIET, CHILD, name, String(calls)], { encoding: 'utf8' }))
  }))
}
