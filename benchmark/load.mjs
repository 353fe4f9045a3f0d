// What loading the package costs: whole processes, in turn.

import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from './time.mjs'

const inTree = (name) => fileURLToPath(new URL(name, import.meta.url))

/** The file of a cdylib that cargo built as an example. */
const LIBRARY = { win32: 'empty_addon.dll', darwin: 'libempty_addon.dylib' }[process.platform] ?? 'libempty_addon.so'

/**
 * The ms of a process that loads nothing but the module, for each of three: the median, and `more`, the median of what
 * it took more than the one of the same round that loads the empty module.
 */
export function loadTimes(runs) {
  const folder = mkdtempSync(path.join(tmpdir(), 'empty-addon-'))
  try {
    const addon = path.join(folder, 'empty.node')
    copyFileSync(inTree(`../target/release/examples/${LIBRARY}`), addon)
    const modules = [
      { name: 'an empty JS module', file: inTree('empty.js'), times: [] },
      { name: 'an empty addon', file: addon, times: [] },
      { name: 'the package', file: inTree('../index.js'), times: [] }
    ]
    for (let run = 0; run < runs; run++) {
      for (let turn = 0; turn < modules.length; turn++) {
        const { file, times } = modules[(run + turn) % modules.length]
        const start = process.hrtime.bigint()
        const { status } = spawnSync(process.execPath, ['-e', `require(${JSON.stringify(file)})`], {
          stdio: 'inherit'
        })
        times.push(Number(process.hrtime.bigint() - start) / 1e6)
        if (status !== 0) throw new Error(`${file} does not load`)
      }
    }
    const [empty] = modules
    return modules.map(({ name, times }) => ({
      name,
      ms: median(times),
      more: median(times.map((ms, run) => ms - empty.times[run]))
    }))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
