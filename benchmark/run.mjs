// Measures the addon against the same rule in plain JavaScript, and prints what it found. Each bar is PASS or FAIL;
// the exit code is 0 either way, since this is a report.
//
// `npm run bench`           with a tenth of the calls that the bar of the resident memory wants
// `npm run bench -- --full` with all of them: some twenty minutes

import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus } from 'node:os'
import { classifyFailure } from '../index.js'
import { admissionCases, compareWithBaseline } from './admission.mjs'
import { healthText, KB } from './bodies.mjs'
import { countedCalls } from './instructions.mjs'
import { loadTimes } from './load.mjs'
import { memoryOfCalls } from './memory.mjs'
import { FAILURES } from './subjects.mjs'
import { timePairs } from './time.mjs'

const full = process.argv.includes('--full')
const ROUNDS = 41
const LOADS = 101
const CALLS = full ? 10_000_000 : 1_000_000
const MIB = 1 << 20

const bars = []
const bar = (name, worst, limit, unit = '') => bars.push({ name, worst, limit, unit })

const us = (ns) => (ns / 1000).toFixed(2)
const row = (first, cells) => console.log(first.padEnd(30) + cells.map((cell) => String(cell).padStart(11)).join(''))
const head = (title, ...cells) => {
  console.log()
  row(title, cells)
}

console.log(`Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus()[0].model}`)
console.log(`${compareWithBaseline()} answers compared: the addon and the baseline agree.`)

// Time.

const cases = admissionCases()
timePairs(cases, ROUNDS)
const find = (form, size, refused) =>
  cases.find((of) => of.form === form && of.refused === refused && of.body.name === size)

for (const form of ['bytes', 'text', 'object']) {
  head(`${form}: µs a call`, 'admit', 'plain JS', 'ratio', 'refuse', 'plain JS', 'ratio')
  for (const { body } of cases.filter((of) => of.form === form && !of.refused)) {
    const both = [false, true].map((refused) => find(form, body.name, refused))
    const cells = ({ addonNs, baselineNs, ratio }) => [us(addonNs), us(baselineNs), ratio.toFixed(3)]
    row(`  ${body.name}`, both.flatMap(cells))
  }
}

const worst = (form, accepts) =>
  Math.max(...cases.filter((of) => of.form === form && accepts(of.body)).map(({ ratio }) => ratio))
const sized = (smallest, largest) => (body) => body.size >= smallest * KB && body.size <= largest * KB
bar('bytes, 0.5 KB', worst('bytes', sized(0, 1)), 0.52)
bar('bytes, 2 to 64 KB', worst('bytes', sized(2, 64)), 0.38)
bar('bytes, 1 MB', worst('bytes', sized(1024, 1024)), 0.32)
// Text in few long strings has no bar: docs/PERFORMANCE.md says what limits it.
const isPlain = (body) => !body.few && !body.script
bar(
  'ASCII text, 2 to 64 KB',
  worst('text', (body) => isPlain(body) && sized(2, 64)(body)),
  0.45
)
bar(
  'text beyond U+00FF',
  worst('text', (body) => body.script === 'wide'),
  0.85
)

// The machine may be shared: the quickest sample says what a call costs, the median also what else ran.
const objects = cases.filter((of) => of.form === 'object')
const quickest = objects.map((of) => of.quickestNs / 1000)
head('object: quickest sample, µs', 'least', 'most')
row('  all bodies', [Math.min(...quickest).toFixed(3), Math.max(...quickest).toFixed(3)])
bar('parsed object, any size', Math.max(...quickest), 0.35, 'µs')

head('ns a call = a + b × bytes', 'a', 'b', '1 MB/64 KB')
for (const form of ['bytes', 'text']) {
  const points = cases.filter((of) => of.form === form && !of.refused && isPlain(of.body))
  const { a, b } = line(points.map(({ bytes, addonNs }) => [bytes, addonNs]))
  const [small, large] = ['64 KB', '1 MB'].map((size) => find(form, size, false))
  const growth = ((large.addonNs / small.addonNs) * 16) / (large.bytes / small.bytes)
  row(`  ${form}`, [a.toFixed(0), b.toFixed(3), growth.toFixed(1)])
  bar(`${form}: 16 times the bytes`, growth, 20, '× the time')
}

/** The line with the least relative errors. */
function line(points) {
  const sum = (of) => points.reduce((total, [x, y]) => total + of(x, y) / (y * y), 0)
  const [n, x, y, xx, xy] = [sum(() => 1), sum((x) => x), sum((_, y) => y), sum((x) => x * x), sum((x, y) => x * y)]
  const b = (n * xy - x * y) / (n * xx - x * x)
  return { a: (y - b * x) / n, b }
}

// The classification has no counterpart in plain JavaScript. JSON.parse of as much text shows the scale.
const failures = FAILURES.map(({ name, failure, kind }) => {
  const text = typeof failure === 'string' ? failure : failure.message
  assert.equal(classifyFailure(failure).kind, kind)
  return {
    name,
    input: failure,
    expected: kind,
    addon: (value) => classifyFailure(value).kind,
    baseline: ((json) => () => (JSON.parse(json), kind))(JSON.stringify({ text }))
  }
})
timePairs(failures, ROUNDS)
head('classifyFailure: µs a call', 'classify', 'JSON.parse')
for (const { name, addonNs, baselineNs } of failures) row(`  ${name}`, [us(addonNs), us(baselineNs)])

// The core alone.

const sizes = [KB / 2, 2 * KB, 6 * KB, 64 * KB]
const counted = countedCalls(sizes.flatMap((size) => [false, true].map((refused) => healthText({ size, refused }))))
if (counted) {
  head('Rust core, one call', 'instr.', 'allocations', 'bytes')
  counted.forEach(({ instructions, allocations, allocatedBytes }, at) =>
    row(`  ${sizes[at >> 1] / KB} KB, ${at % 2 ? 'refuse' : 'admit'}`, [instructions, allocations, allocatedBytes])
  )
} else {
  console.log('\nvalgrind is not installed: the instructions of the core are not counted.')
}

// Loading, size, memory.

const loads = loadTimes(LOADS)
head('node -e require(…), ms', 'median', 'more')
for (const { name, ms, more } of loads) row(`  ${name}`, [ms.toFixed(1), more.toFixed(1)])
bar('loading, more than an empty module', loads.at(-1).more, 3, 'ms')

const loaded = Object.keys(createRequire(import.meta.url).cache).find((file) => file.endsWith('.node'))
const size = statSync(loaded).size / 1000
head('the addon', 'KB')
row('  stripped', [size.toFixed(0)])
bar('binary', size, 550, 'KB')

const memory = memoryOfCalls(CALLS)
head('memory', 'calls', 'heap B/call', 'RSS, KiB')
for (const { name, calls, heapBytes, growth } of memory) row(`  ${name}`, [calls, heapBytes, (growth / KB).toFixed(0)])
const admits = memory.filter(({ name }) => /^(bytes|text).*admit$/.test(name))
bar('JS heap, bytes and text, admit', Math.max(...admits.map(({ heapBytes }) => heapBytes)), 0, 'bytes')
bar(`RSS growth within ${CALLS / 1e6} million calls`, Math.max(...memory.map(({ growth }) => growth)) / MIB, 1, 'MiB')

head('bar', 'worst', 'limit', '')
for (const { name, worst, limit, unit } of bars) {
  const verdict = worst <= limit ? 'PASS' : 'FAIL'
  console.log(`${verdict}  ${name.padEnd(38)}${worst.toFixed(3).padStart(12)}${`<= ${limit} ${unit}`.padStart(22)}`)
}
