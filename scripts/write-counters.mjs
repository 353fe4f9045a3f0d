// Writes lib/counters.js: the reading of a parsed body, with every key of the counters' table as a literal. A key that
// comes out of an array costs ten times as much to read, and fifteen of them more than all the rest of a call.

import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const TARGET = new URL('../lib/counters.js', import.meta.url)

/** The text of the module for these paths. A key is also the name of the constant that holds its object. */
export function countersModule(paths) {
  const read = (path) => [path.length > 1 ? path.at(-2) : 'body', path.at(-1)].join('.')
  const objects = new Map(
    paths.flatMap((path) => path.slice(0, -1).map((key, depth) => [key, read(path.slice(0, depth + 1))]))
  )
  return `${HEAD}
/**
 * Puts the counters of a parsed body into \`counters\`, NaN where there is no number. No code of the body's own runs
 * between the first store and the end.
 */
function readCounters(body, counters) {
${Array.from(objects, ([key, from]) => `  const ${key} = objectOf(${from})\n`).join('')}
${paths.map((path, place) => `  const at${place} = numberOf(${read(path)})\n`).join('')}
${paths.map((_, place) => `  counters[${place}] = at${place}\n`).join('')}}

module.exports = { NOTHING, objectOf, numberOf, readCounters }
`
}

const HEAD = `// Written by scripts/write-counters.mjs from the table in src/health.rs. Do not edit.

'use strict'

// Without a prototype, and not as a literal: that would be a dictionary, which is slow to ask.
const NOTHING = Object.freeze(Object.setPrototypeOf({}, null))

const objectOf = (value) => (typeof value === 'object' && value !== null ? value : NOTHING)
const numberOf = (value) => (typeof value === 'number' ? value : NaN)
`

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { counterPaths } = createRequire(import.meta.url)('../lib/native.js')
  writeFileSync(TARGET, countersModule(counterPaths()))
}
