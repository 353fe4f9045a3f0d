// How long calls take, in pairs: the addon and the baseline in turn, over and over, so that noise troubles both.

/** The shortest time that one sample takes, in ns. */
const SAMPLE_NS = 1_000_000

/** The answers that wait to be checked. */
const answers = new Array(64)

/**
 * Times every case in `rounds` rounds, each round beginning at another case, the two of a pair in changing order.
 * A case is `{ input, expected, addon, baseline }`: two functions that must both give `expected` for `input`, each
 * time. Adds to each case its medians, `addonNs`, `baselineNs` and the `ratio` of the pairs, and the `quickestNs` of
 * the addon.
 */
export function timePairs(cases, rounds) {
  const runs = cases.map((of) => ({ of, calls: callsOf(of), addon: [], baseline: [] }))
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < runs.length; turn++) {
      const run = runs[(round + turn) % runs.length]
      for (const who of (round + turn) % 2 ? ['addon', 'baseline'] : ['baseline', 'addon']) {
        run[who].push(sample(run.of[who], run.of, run.calls))
      }
    }
  }
  for (const { of, addon, baseline } of runs) {
    of.addonNs = median(addon)
    of.quickestNs = Math.min(...addon)
    of.baselineNs = median(baseline)
    of.ratio = median(addon.map((ns, round) => ns / baseline[round]))
  }
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** ns per call. The clock stands still while the answers are checked. */
function sample(call, { input, expected }, calls) {
  let ns = 0n
  for (let left = calls; left > 0; left -= answers.length) {
    const batch = Math.min(left, answers.length)
    const start = process.hrtime.bigint()
    for (let at = 0; at < batch; at++) answers[at] = call(input)
    ns += process.hrtime.bigint() - start
    for (let at = 0; at < batch; at++) {
      if (answers[at] !== expected) throw new Error(`${answers[at]} is another answer than ${expected}`)
    }
  }
  return Number(ns) / calls
}

/** As many calls as let the quicker of the two run long enough to be timed. Warms both up. */
function callsOf(of) {
  let calls = 1
  while (Math.min(sample(of.addon, of, calls), sample(of.baseline, of, calls)) * calls < SAMPLE_NS) calls *= 2
  return calls
}
