'use strict'

const { formatDuration } = require('./duration.js')
const { hidden } = require('./say.js')
const { lookOf } = require('./terminal.js')
const { clip, visible } = require('./text.js')

const LIVE_MS = 1_000
const LOG_MS = 60_000

/** What keeps the waiter waiting: the gate with the fewest free slots, and how many are ahead of it there. */
function obstacleOf({ error, limiting, gates }) {
  if (error !== null) return error
  const { active, limit, free, queued } = gates.find(({ name }) => name === limiting)
  const room = free > 0 ? `has ${free} free` : 'is full'
  return `${limiting} ${room} (${active}/${limit})${queued === null ? '' : `, ${queued} ahead`}`
}

/**
 * Shows on standard error how the waiting goes: in a terminal one line that is written over every second, elsewhere a
 * line at once and one a minute. Nothing is shown before the first report.
 *
 * @returns {{ tell: (report: object) => void, end: () => void }}
 */
function showProgress(waitMs) {
  const stream = process.stderr
  const start = performance.now()
  let obstacle
  let timer

  const line = () => `waiting ${formatDuration(performance.now() - start)} of ${formatDuration(waitMs)}: ${obstacle}`
  const { terminal } = lookOf(stream, process.env)
  // One cell stays empty, for terminals that wrap as soon as a line is full.
  const live = () => stream.write(`\r\x1b[K${clip(line(), lookOf(stream, process.env).width - 1)}`)
  const show = terminal ? live : () => stream.write(`bridge-admission: ${line()}\n`)

  return {
    tell(report) {
      obstacle = hidden(visible(obstacleOf(report)))
      if (timer !== undefined && !terminal) return
      show()
      timer ??= setInterval(show, terminal ? LIVE_MS : LOG_MS)
    },
    end() {
      if (timer === undefined) return
      clearInterval(timer)
      timer = undefined
      if (terminal) stream.write('\r\x1b[K')
    }
  }
}

module.exports = { obstacleOf, showProgress }
