// Measures the addon against the same rule in plain JavaScript, and prints what it found. Each bar is PASS or FAIL;
// the exit code is 0 either way, since this is a report.

import { admissionCases, compareWithBaseline } from './admission.mjs'
import { timePairs } from './time.mjs'

const ROUNDS = 41

console.log(`Node ${process.versions.node}, ${process.platform} ${process.arch}`)
console.log(`${compareWithBaseline()} answers compared: the addon and the baseline agree.\n`)

const cases = admissionCases()
timePairs(cases, ROUNDS)
for (const { form, body, refused, addonNs, baselineNs, ratio } of cases) {
  const us = (ns) => (ns / 1000).toFixed(2).padStart(10)
  console.log(form.padEnd(8), body.name.padEnd(24), (refused ? 'refuse' : 'admit').padEnd(7), us(addonNs), us(baselineNs), ratio.toFixed(3).padStart(8))
}
