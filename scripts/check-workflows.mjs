// Checks the workflows, which run elsewhere: what they say (actionlint) and whether they are safe (zizmor).

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createRequire } from 'node:module'
import { root } from './packages.mjs'
import { npmTool, run, tool } from './tools.mjs'

/** Runners that are newer than the list in actionlint. */
const RUNNERS = ['ubuntu-24.04', 'ubuntu-24.04-arm', 'macos-15', 'macos-15-intel', 'windows-2025', 'windows-11-arm']

const folder = path.join(root, '.github', 'workflows')
const { createLinter } = createRequire(import.meta.url)(await npmTool('actionlint/node.cjs'))
const lint = await createLinter()
for (const file of readdirSync(folder)) {
  for (const { line, column, message } of lint(readFileSync(path.join(folder, file), 'utf8'), file)) {
    if (RUNNERS.some((runner) => message.startsWith(`label "${runner}" is unknown`))) continue
    console.error(`${file}:${line}:${column}: ${message}`)
    process.exitCode = 1
  }
}
await run(path.join(await tool('zizmor'), 'bin', 'zizmor'), ['--offline', '--persona', 'auditor', folder])
