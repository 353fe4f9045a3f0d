'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { ENDING, ofSignal } = require('./exit-codes.js')
const { showProgress } = require('./progress.js')
const { VERDICTS, nameOf } = require('./report.js')
const { Usage } = require('./usage.js')

const SHORTEST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 15_000

/**
 * How long to wait before the next asking, after so many that failed in a row.
 *
 * A bridge that answers is asked again after 1 to 1.25 s, so that a slot is seen within 2 s of its release: an answer
 * is read from counters in memory, and one that hangs because the bridge is full comes with the release. A bridge that
 * cannot be reached or read is left alone for longer each time, up to 15 s. The quarter at random keeps waiters apart
 * that were refused together.
 */
function pauseAfter(failures, random = Math.random) {
  return Math.min(SHORTEST_PAUSE_MS * 2 ** failures * (1 + random() / 4), LONGEST_PAUSE_MS)
}

/**
 * Asks until there is room, waiting cannot help, or the time is over. The first answer is waited for in any case; an
 * asking that the end of the time interrupts leaves the report before it.
 *
 * @param {object} how
 * @param {(signal?: AbortSignal) => Promise<object>} how.ask resolves to a report
 * @param {number} how.waitMs
 * @param {(report: object) => void} how.tell is told each report that waiting may change
 * @param {(ms: number) => Promise<void>} [how.pause]
 */
async function askUntilRoom({ ask, waitMs, tell, pause = sleep }) {
  const end = performance.now() + waitMs
  let report = await ask()
  let failures = 0
  while (report.exitCode !== 0 && VERDICTS[report.verdict].passes) {
    tell(report)
    failures = report.error === null ? 0 : failures + 1
    await pause(Math.max(0, Math.min(pauseAfter(failures), end - performance.now())))
    const left = Math.ceil(end - performance.now())
    if (left <= 0) return report
    try {
      report = await ask(AbortSignal.timeout(left))
    } catch (error) {
      if (error.name !== 'AbortError') throw error
      return report
    }
  }
  return report
}

/** As `askUntilRoom`, as the options say, with the progress on standard error. A signal ends the process at once. */
async function waitForRoom(source, ask, { wait: waitMs, quiet, ascii }) {
  if (!source.url) throw new Usage(`--wait asks a bridge again: ${nameOf(source)} must be its URL`)
  const progress = quiet ? { tell() {}, end() {} } : showProgress({ waitMs, ascii })
  const end = (signal) => {
    progress.end()
    process.exit(ofSignal(signal))
  }
  for (const signal of ENDING) process.on(signal, end)
  try {
    return await askUntilRoom({ ask, waitMs, tell: progress.tell })
  } finally {
    progress.end()
    for (const signal of ENDING) process.off(signal, end)
  }
}

module.exports = { pauseAfter, askUntilRoom, waitForRoom }
