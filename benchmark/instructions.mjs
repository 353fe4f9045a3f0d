// What the Rust core executes and allocates for one call: counted by valgrind, so the same on every run.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const CALLS = fileURLToPath(new URL('../target/release/examples/calls', import.meta.url))
/** Two runs that differ in this many calls: the start of the process is in both. */
const MORE = 100

/** Instructions, allocations and allocated bytes of a call, for each text; `undefined` where there is no valgrind. */
export function countedCalls(texts) {
  if (spawnSync('valgrind', ['--version']).status !== 0) return undefined
  const folder = mkdtempSync(path.join(tmpdir(), 'counted-'))
  try {
    return texts.map((text) => {
      const file = path.join(folder, 'health.json')
      writeFileSync(file, text)
      const perCall = (tool, counted) => {
        const [few, many] = [MORE, 2 * MORE].map((calls) => countedBy(folder, tool, counted, file, calls))
        return many.map((count, at) => (count - few[at]) / MORE)
      }
      const [instructions] = perCall('callgrind', /Collected : (\d+)/)
      const [allocations, allocatedBytes] = perCall('memcheck', /usage: ([\d,]+) allocs, .* frees, ([\d,]+) bytes/)
      return { instructions, allocations, allocatedBytes }
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function countedBy(folder, tool, counted, file, calls) {
  const args = [`--tool=${tool}`, CALLS, file, String(calls)]
  const { stderr } = spawnSync('valgrind', args, { cwd: folder, encoding: 'utf8' })
  const found = counted.exec(stderr)
  if (!found) throw new Error(`valgrind says nothing of ${counted}:\n${stderr}`)
  return found.slice(1).map((number) => Number(number.replaceAll(',', '')))
}
