'use strict'

const { cells, wrap } = require('./text.js')

const SGR = { red: 31, green: 32, yellow: 33 }
const UNICODE = { mark: '▸', taken: '█', free: '░' }
const ASCII = { mark: '>', taken: '#', free: '-' }
const GAP = '  '
/** The mark and a space, or two spaces, before each line. */
const HEAD = 2
const WIDEST_BAR = 40
/** Where the bar beside the name would be shorter, the line is broken in two: the name, and the rest. */
const NARROWEST_BAR = 10

/**
 * The lines of a bridge's gates: name, bar, used/limit, free and queued, the limiting gate marked. No line is wider
 * than `width`.
 *
 * @param {object} capacity as `bridgeCapacity` answers it; a `queued` that is not reported may be null as well
 * @param {{ slots: number, width: number, colour: boolean, ascii: boolean }} look
 */
function picture({ gates, limiting }, { slots, width, colour, ascii }) {
  const glyphs = ascii ? ASCII : UNICODE
  const rows = gates.map((gate) => ({
    name: gate.name,
    mark: gate.name === limiting ? glyphs.mark : ' ',
    counts: countsOf(gate),
    bar: (size) => paint(bar(gate, size, glyphs), colour && tintOf(gate, slots))
  }))
  const names = widest(rows.map(({ name }) => name))
  const columns = [0, 1, 2].map((i) => widest(rows.map(({ counts }) => counts[i])))
  const aligned = ({ counts }) =>
    counts
      .map((count, i) => GAP + count.padStart(columns[i]))
      .join('')
      .trimEnd()

  const belowName = width - HEAD - columns.reduce((sum, column) => sum + GAP.length + column, 0)
  const besideName = belowName - names - GAP.length
  if (besideName >= NARROWEST_BAR) {
    const size = Math.min(besideName, WIDEST_BAR)
    return rows.map((row) => `${row.mark} ${row.name.padEnd(names)}${GAP}${row.bar(size)}${aligned(row)}`)
  }
  const named = ({ mark, name }) =>
    HEAD + names <= width ? [`${mark} ${name}`] : wrap(`${mark} ${name}`.trim(), width)
  const counted = (row) =>
    belowName > 0
      ? [`${GAP}${row.bar(Math.min(belowName, WIDEST_BAR))}${aligned(row)}`]
      : wrap(row.counts.join(' ').trimEnd(), width)
  return rows.flatMap((row) => [...named(row), ...counted(row)])
}

const widest = (texts) => Math.max(0, ...texts.map(cells))

function countsOf({ active, limit, free, queued }) {
  return [`${active}/${limit}`, `${free} free`, typeof queued === 'number' ? `${queued} queued` : '']
}

/** Red where nothing is free, yellow where too little is. */
function tintOf({ free }, slots) {
  if (free >= slots) return 'green'
  return free > 0 ? 'yellow' : 'red'
}

/** What is taken, in cells. A bar is full only where the gate is, and empty only where the gate is. */
function bar({ active, limit }, size, glyphs) {
  const share = active >= limit ? size : Math.min(Math.round((active / limit) * size), size - 1)
  const taken = active > 0 ? Math.max(share, 1) : share
  return glyphs.taken.repeat(taken) + glyphs.free.repeat(size - taken)
}

/** The text in a colour, or as it is where there is none. */
function paint(text, tint) {
  return tint ? `\x1b[${SGR[tint]}m${text}\x1b[0m` : text
}

module.exports = { picture, paint }
