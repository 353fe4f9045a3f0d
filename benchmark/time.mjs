// How long calls take, in pairs: the addon and the baseline in turn, over and over, so that a noisy machine troubles both.

/** The shortest time that one sample takes, in ns. */
const SAMPLE_NS = 1_000_000

/**
 * Times every case in `rounds` rounds, each round beginning at another case, and the two of a pair in changing order.
 * A case is `{ input, expected, addon, baseline }`: two functions that must both give `expected` for `input`, every time.
 * Adds to each case its medians: `addonNs`, `baselineNs` and `ratio`, of the pairs.
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
    of.baselineNs = median(baseline)
    of.ratio = median(addon.map((ns, round) => ns / baseline[round]))
  }
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** ns per call. */
function sample(call, { input, expected }, calls) {
  const start = process.hrtime.bigint()
  for (let left = calls; left > 0; left--) {
    if (call(input) !== expected) throw new Error(`another answer than ${expected}`)
  }
  return Number(process.hrtime.bigint() - start) / calls
}

/** As many calls as let the quicker of the two run long enough to be timed. Warms both up. */
function callsOf(of) {
  let calls = 1
  while (Math.min(sample(of.addon, of, calls), sample(of.baseline, of, calls)) * calls < SAMPLE_NS) calls *= 2
  return calls
}
