'use strict'

const { Usage } = require('./usage.js')

const UNITS = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1]
]
const DURATION = new RegExp(`^${UNITS.map(([unit]) => `(?:(\\d+(?:\\.\\d+)?)${unit})?`).join('')}$`)
/** What a timer can hold: 2^31 − 1 ms, in whole hours. */
const LONGEST_H = 596

/** The ms of a duration as people write it: `90s`, `10m`, `1h30m`, `1.5s`, `250ms`. Throws `Usage`, naming `what`. */
function parseDuration(text, what) {
  const amounts = text === '' ? null : DURATION.exec(text)
  if (amounts === null) throw new Usage(`${what} must be a time such as 90s, 10m or 1h30m, got '${text}'`)
  const ms = Math.round(UNITS.reduce((sum, [, size], i) => sum + size * Number(amounts[i + 1] ?? 0), 0))
  if (ms === 0) throw new Usage(`${what} must be a time above 0, got '${text}'`)
  if (ms > LONGEST_H * 3_600_000) throw new Usage(`${what} must be at most ${LONGEST_H}h, got '${text}'`)
  return ms
}

/** A time for people, in whole seconds: `5s`, `1m05s`, `2h00m`. */
function formatDuration(ms) {
  const seconds = Math.floor(ms / 1000)
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const two = (number) => String(number).padStart(2, '0')
  if (h > 0) return `${h}h${two(m)}m`
  return m > 0 ? `${m}m${two(s)}s` : `${s}s`
}

module.exports = { parseDuration, formatDuration }
