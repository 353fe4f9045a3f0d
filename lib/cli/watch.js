'use strict'

const { writeSync } = require('node:fs')
const { setTimeout: sleep } = require('node:timers/promises')
const { asker } = require('./ask.js')
const { linesOf } = require('./check.js')
const { ENDING, ofSignal } = require('./exit-codes.js')
const { lookOf } = require('./terminal.js')
const { Usage } = require('./usage.js')

const REFRESH_MS = 2_000
// The alternate screen, and no cursor on it.
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[2J'
const LEAVE = '\x1b[?25h\x1b[?1049l'

/** Shows the picture of check until a signal ends it. The terminal is left as it was, whatever ends it. */
async function watch(line) {
  const { source, ask } = await asker(line)
  if (!source.url) throw new Usage(`watch asks a bridge again and again: ${source.name} must be its URL`)
  if (!lookOf(process.stdout, process.env).terminal) throw new Usage('watch needs a terminal: use check elsewhere')

  const screen = openScreen()
  let report
  const draw = () => {
    const look = lookOf(process.stdout, process.env, line.values.ascii)
    if (report) screen.draw(linesOf(source, report, look))
  }
  process.stdout.on('resize', draw)
  process.on('SIGCONT', () => {
    screen.enter()
    draw()
  })
  for (;;) {
    report = await ask()
    draw()
    await sleep(REFRESH_MS)
  }
}

function openScreen() {
  const { stdout } = process
  const leave = () => {
    try {
      // Written at once: the process may be about to end.
      writeSync(stdout.fd, LEAVE)
    } catch {
      // The terminal is gone.
    }
  }
  const enter = () => stdout.write(ENTER)
  process.on('exit', leave)
  for (const signal of ENDING) process.on(signal, () => process.exit(ofSignal(signal)))
  process.on('SIGTSTP', () => {
    leave()
    process.kill(process.pid, 'SIGSTOP')
  })
  enter()
  return { enter, draw: (lines) => stdout.write(frameOf(lines, stdout)) }
}

/** The lines from the top, each over an emptied line, and nothing below them. What does not fit is left out. */
function frameOf(lines, terminal) {
  const rows = terminal.rows || Infinity
  const shown = lines.slice(0, rows).map((line) => `\x1b[K${line}`)
  return `\x1b[H${shown.join('\r\n')}${shown.length < rows ? '\r\n\x1b[J' : ''}`
}

module.exports = { watch, frameOf }
