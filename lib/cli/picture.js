'use strict'

const { cells, wrap } = require('./text.js')

const SGR = { red: 31, green: 32, yellow: 33 }
const UNICODE = { mark: '▸', taken: '█', free: '░' }
const ASCII = { mark: '>', taken: '#', free: '-' }
const GAP = '  '
const WIDEST_BAR = 40
/** A line with a shorter bar is broken in two: the name, and the rest. */
const NARROWEST_BAR = 10

/**
 * The lines of a bridge's gates: name, bar, used/limit, free and queued, the limiting gate marked. No line is wider than
 * `width`.
 *
 * @param {object} capacity as `bridgeCapacity` answers it
 * @param {{ slots: number, width: number, colour: boolean, ascii: boolean }} look
 */
function picture({ gates, limiting }, { slots, width, colour, ascii }) {
  const glyphs = ascii ? ASCII : UNICODE
  const rows = gates.map((gate) => ({
    gate,
    mark: gate.name === limiting ? glyphs.mark : ' ',
    tint: tintOf(gate, slots),
    used: `${gate.active}/${gate.limit}`,
    free: `${gate.free} free`,
    queued: (gate.queued ?? null) === null ? '' : `${gate.queued} queued`
  }))
  const widest = (read) => Math.max(0, ...rows.map((row) => cells(read(row))))
  const columns = {
    name: widest(({ gate }) => gate.name),
    used: widest(({ used }) => used),
    free: widest(({ free }) => free),
    queued: widest(({ queued }) => queued)
  }
  const counts = ({ used, free, queued }) =>
    [used.padStart(columns.used), free.padStart(columns.free), queued.padStart(columns.queued)].join(GAP).trimEnd()
  const countsWidth = columns.used + columns.free + columns.queued + 2 * GAP.length

  const drawn = (row, size) => paint(bar(row.gate, size, glyphs), colour && row.tint)
  const headed = (row, text) => `${row.mark} ${text}`
  const headWidth = 2

  const besideName = width - headWidth - columns.name - GAP.length - GAP.length - countsWidth
  if (besideName >= NARROWEST_BAR) {
    const size = Math.min(besideName, WIDEST_BAR)
    return rows.map((row) =>
      headed(row, [row.gate.name.padEnd(columns.name), drawn(row, size), counts(row)].join(GAP))
    )
  }
  const belowName = Math.min(width - headWidth - GAP.length - countsWidth, WIDEST_BAR)
  return rows.flatMap((row) => [
    ...(headWidth + columns.name <= width ? [headed(row, row.gate.name)] : wrap(headed(row, row.gate.name).trim(), width)),
    ...(belowName > 0
      ? [headed({ mark: ' ' }, [drawn(row, belowName), counts(row)].join(GAP))]
      : wrap([row.used, row.free, row.queued].join(' ').trimEnd(), width))
  ])
}

/** Red where nothing is free, yellow where too little is. */
function tintOf({ free }, slots) {
  if (free >= slots) return 'green'
  return free > 0 ? 'yellow' : 'red'
}

/** What is taken, in cells. A bar is full only where the gate is, and empty only where the gate is. */
function bar({ active, limit }, size, glyphs) {
  const share = active >= limit ? size : Math.min(Math.round((active / limit) * size), size - 1)
  const taken = active > 0 ? Math.max(share, Math.min(1, size)) : share
  return glyphs.taken.repeat(taken) + glyphs.free.repeat(size - taken)
}

/** The text in a colour, or as it is where there is none. */
function paint(text, tint) {
  return tint ? `\x1b[${SGR[tint]}m${text}\x1b[0m` : text
}

module.exports = { picture, paint }
