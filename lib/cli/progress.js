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
 * Shows on standard error how the waiting goes: in a terminal one line that is written over every second, elsewhere one
 * line with the first report and one a minute.
 *
 * @returns {{ tell: (report: object) => void, end: () => void }}
 */
function showProgress({ waitMs, ascii }) {
  const start = performance.now()
  let obstacle = 'the bridge is asked'
  const line = () => `waiting ${formatDuration(performance.now() - start)} of ${formatDuration(waitMs)}: ${obstacle}`
  const shower = lookOf(process.stderr, process.env).terminal ? live(line, ascii) : log(line)
  return {
    tell(report) {
      obstacle = hidden(visible(obstacleOf(report)))
      shower.update()
    },
    end: shower.end
  }
}

function live(line, asciiOnly) {
  const { stderr } = process
  const update = () => {
    const { width, ascii } = lookOf(stderr, process.env, asciiOnly)
    // One cell stays empty, for terminals that wrap as soon as a line is full.
    stderr.write(`\r\x1b[K${clip(line(), width - 1, ascii ? '...' : '…')}`)
  }
  const timer = setInterval(update, LIVE_MS)
  const end = () => {
    clearInterval(timer)
    stderr.write('\r\x1b[K')
  }
  return { update, end }
}

function log(line) {
  const write = () => process.stderr.write(`bridge-admission: ${line()}\n`)
  let timer
  const update = () => {
    if (timer !== undefined) return
    write()
    timer = setInterval(write, LOG_MS)
  }
  return { update, end: () => clearInterval(timer) }
}

module.exports = { obstacleOf, showProgress }
