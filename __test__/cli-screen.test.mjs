// What people see: the picture at every width, and whole screens of pseudo-terminals, compared with kept files.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { bridgeCapacity } from '../index.js'
import check from '../lib/cli/check.js'
import pictures from '../lib/cli/picture.js'
import terminals from '../lib/cli/terminal.js'
import text from '../lib/cli/text.js'
import { CAPTURES, runInTerminal, unix } from './cli/run.mjs'
import { screenOf } from './cli/screen.mjs'

const { linesOf } = check
const { picture } = pictures
const { lookOf } = terminals
const { cells, clip, visible, wrap } = text

const WIDTHS = [40, 80, 200]
const SCOPED = 'health-scoped-all-full-queued-reserved-1.json'
const HOST = 'health-host-full-queued-1.json'
const DEAD = 'http://127.0.0.1:1'

const capture = (file) => readFileSync(`${CAPTURES}/${file}`)
const plain = (line) => line.replace(/\x1b\[\d+m/g, '')
const look = { slots: 1, width: 80, colour: false, ascii: false }

/** Compares with the kept screen. With UPDATE_SCREENS set, keeps it instead. */
function assertScreen(name, screen) {
  const file = new URL(`cli/screens/${name}.txt`, import.meta.url)
  if (process.env.UPDATE_SCREENS) writeFileSync(file, screen)
  assert.equal(screen, readFileSync(file, 'utf8'), fileURLToPath(file))
}

/** The URL of a bridge that shows each body once, and the last one from then on. Every port has five digits here. */
async function playing(t, ...files) {
  let asked = 0
  const server = createServer((_, response) => response.end(capture(files[Math.min(asked++, files.length - 1)])))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${server.address().port}`
}

const portless = (screen) => screen.replace(/127\.0\.0\.1:\d{5}/g, '127.0.0.1:#####')

test('the picture, gate by gate', () => {
  const capacity = {
    free: 1,
    limiting: 'executor',
    gates: [
      { name: 'executor', active: 3, limit: 4, free: 1, queued: 12 },
      { name: 'admission', active: 0, limit: 8, free: 8 }
    ]
  }
  assert.deepEqual(picture(capacity, { ...look, width: 57 }), [
    '▸ executor   ███████████████░░░░░  3/4  1 free  12 queued',
    '  admission  ░░░░░░░░░░░░░░░░░░░░  0/8  8 free'
  ])
  assert.deepEqual(picture(capacity, { ...look, width: 34, ascii: true }), [
    '> executor',
    '  ######--  3/4  1 free  12 queued',
    '  admission',
    '  --------  0/8  8 free'
  ])
  assert.deepEqual(picture(capacity, { ...look, slots: 2, colour: true, width: 57 }), [
    '▸ executor   \x1b[33m███████████████░░░░░\x1b[0m  3/4  1 free  12 queued',
    '  admission  \x1b[32m░░░░░░░░░░░░░░░░░░░░\x1b[0m  0/8  8 free'
  ])
  assert.deepEqual(picture({ free: null, gates: [] }, look), [])
})

test('a bar is full only where the gate is, and empty only where the gate is', () => {
  const barOf = (active, limit) => {
    const gate = { name: 'admission', active, limit, free: Math.max(limit - active, 0) }
    return picture({ gates: [gate] }, { ...look, ascii: true })[0].split('  ')[2]
  }
  const whole = 40
  const bar = (taken) => '#'.repeat(taken) + '-'.repeat(whole - taken)
  assert.equal(barOf(0, 1000), bar(0))
  assert.equal(barOf(1, 1000), bar(1))
  assert.equal(barOf(500, 1000), bar(20))
  assert.equal(barOf(999, 1000), bar(39))
  assert.equal(barOf(1000, 1000), bar(40))
  assert.equal(barOf(7, 4), bar(40))
  assert.equal(barOf(0, 0), bar(40))
})

test('no line is wider than the width, at any width, for any body', () => {
  const huge = { admission: { active: 1.7976931348623157e308, maxActive: 5e-324, activeByClass: {} } }
  const bodies = [
    ...readdirSync(CAPTURES)
      .filter((file) => file.startsWith('health-'))
      .map(capture),
    huge
  ]
  for (const body of bodies) {
    const capacity = bridgeCapacity(body, 3)
    for (let width = 1; width <= 220; width++) {
      for (const ascii of [false, true]) {
        const lines = picture(capacity, { slots: 3, width, colour: true, ascii })
        for (const line of lines) assert.ok(cells(plain(line)) <= width, `${width}: ${line}`)
        if (ascii) assert.match(plain(lines.join('')), /^[ -~]*$/)
        // Nothing is lost on the way.
        const words = plain(lines.join('')).replace(/[\s█░▸#>-]/g, '')
        const wanted = capacity.gates.map(({ name, active, limit, free, queued }) =>
          `${name}${active}/${limit}${free}free${queued === undefined ? '' : `${queued}queued`}`.replace(/[\s-]/g, '')
        )
        assert.equal(words, wanted.join(''), String(width))
      }
    }
  }
})

test('names and sentences of others are wrapped and made visible', () => {
  const report = { verdict: 'unreadable', error: 'x', gates: [], failedOpen: false, intended: { slots: 1 } }
  for (let width = 2; width <= 60; width++) {
    const lines = linesOf({ name: '報告 \x1b[31mreport\n👩‍💻.json' }, report, { terminal: true, width, colour: false })
    for (const line of lines) assert.ok(cells(line) <= width, `${width}: ${line}`)
    assert.equal(lines.join('').replace(/ /g, ''), '報告\ufffd[31mreport👩‍💻.jsonx')
  }
})

test('text for terminals', () => {
  assert.equal(visible('a\n\tb\x1b[31m\x9b\u202e'), 'a b\ufffd[31m\ufffd\ufffd')
  assert.equal(cells('a▸█é…'), 5)
  assert.equal(cells('日本'), 4)
  assert.deepEqual(wrap('one two three', 7), ['one two', 'three'])
  assert.deepEqual(wrap('abcdefgh ij', 3), ['abc', 'def', 'gh', 'ij'])
  assert.deepEqual(wrap('', 3), [''])
  assert.equal(clip('abcdef', 6, '…'), 'abcdef')
  assert.equal(clip('abcdef', 5, '…'), 'abcd…')
  assert.equal(clip('abcdef', 5, '...'), 'ab...')
  assert.equal(clip('日本語', 4, '…'), '日…')
  assert.equal(clip('abcdef', 0, '…'), '')
})

test('how to print to a stream', () => {
  const tty = { isTTY: true, columns: 120 }
  const wide = { terminal: true, width: 120, colour: true, ascii: false }
  assert.deepEqual(lookOf(tty, {}), wide)
  assert.deepEqual(lookOf(tty, { NO_COLOR: '1' }), { ...wide, colour: false })
  assert.deepEqual(lookOf(tty, { NO_COLOR: '' }), wide)
  assert.deepEqual(lookOf(tty, {}, true), { ...wide, ascii: true })
  assert.deepEqual(lookOf(tty, { LANG: 'de_DE.UTF-8' }), wide)
  assert.deepEqual(lookOf(tty, { LANG: 'de_DE.UTF-8', LC_ALL: 'C' }), { ...wide, ascii: true })
  assert.deepEqual(lookOf(tty, { TERM: 'dumb' }), { terminal: false, width: 120, colour: false, ascii: true })
  assert.deepEqual(lookOf({ isTTY: true, columns: 0 }, {}), { ...wide, width: 80 })
  assert.deepEqual(lookOf({}, {}), { terminal: false, width: 80, colour: false, ascii: false })
})

for (const columns of WIDTHS) {
  test(`check in a terminal of ${columns} columns`, unix, async () => {
    for (const [file, code] of [
      [SCOPED, 75],
      [HOST, 75],
      ['health-host-idle.json', 0]
    ]) {
      const { output, restored, ...ended } = await runInTerminal([file], { columns })
      assert.deepEqual({ restored, ...ended }, { restored: true, code })
      assert.match(output, /\x1b\[3[123]m/)
      assertScreen(`check-${file.replace('.json', '')}-${columns}`, screenOf(output, columns).main)
    }
  })

  test(`watch in a terminal of ${columns} columns`, unix, async (t) => {
    const url = await playing(t, SCOPED, 'health-scoped-idle.json')
    const steps = [{ until: 'no room for 1 now' }, { until: 'room for 1', type: '\x03' }]
    const { output, ...ended } = await runInTerminal(['watch', url], { columns, steps })
    assert.deepEqual(ended, { restored: true, code: 130 })
    const { main, alternate, onMain, cursorShown } = screenOf(output.replace('^C', ''), columns)
    assert.deepEqual({ main, onMain, cursorShown }, { main: '\n', onMain: true, cursorShown: true })
    assertScreen(`watch-${columns}`, portless(alternate))
  })

  test(`the live line of --wait in a terminal of ${columns} columns`, unix, async (t) => {
    const url = await playing(t, SCOPED, SCOPED, 'health-scoped-idle.json')
    const { output, ...ended } = await runInTerminal([url, '--wait', '10m'], { columns })
    assert.deepEqual(ended, { restored: true, code: 0 })
    const lines = output.split('\r\x1b[K').filter((line) => line.startsWith('waiting'))
    const whole = 'waiting 1s of 10m00s: scoped-host executor bulk lane is full (2/2), 1 ahead'
    const wanted = columns === 40 ? 'waiting 1s of 10m00s: scoped-host exec…' : whole
    assert.ok(lines.length >= 2, output)
    for (const line of lines) assert.equal(line.replace(/\ds/, '1s'), wanted)
    // Nothing of it is left.
    assertScreen(`wait-${columns}`, portless(screenOf(output, columns).main))
  })
}

test('classify and complaints in a terminal of 40 columns', unix, async () => {
  const shown = async (...args) => screenOf((await runInTerminal(args, { columns: 40 })).output, 40).main.split('\n')
  assert.deepEqual(await shown('classify', 'err-401.json'), [
    'request, not known to be safe to retry',
    'Unauthorized',
    ''
  ])
  assert.deepEqual(await shown('classify', 'refuse-executor-stream.sse'), [
    'capacity (acquire-timeout), safe to',
    'retry under a new run id',
    'capacity refusal, not a provider',
    'failure: host executor full (4 of 4 in',
    'flight, 1 queued) after waiting 1500 ms;',
    'nothing was dispatched to the provider',
    ''
  ])
  assert.deepEqual(await shown(DEAD), [
    'bridge-admission: bridge',
    'http://127.0.0.1:1 cannot be reached:',
    'connect ECONNREFUSED 127.0.0.1:1',
    ''
  ])
})

test('a terminal of one column', unix, async () => {
  const { code, output } = await runInTerminal([HOST], { columns: 1 })
  assert.equal(code, 75)
  assert.match(screenOf(output, 1).main, /^h\ne\na\nl\nt\nh\n/)
})

test('watch draws anew for another size, and leaves out what does not fit', unix, async (t) => {
  const url = await playing(t, HOST)
  const steps = [
    { until: 'no room for 1 now', resize: [40, 4] },
    { until: 'admission', type: '\x03' }
  ]
  const { code, output } = await runInTerminal(['watch', url], { columns: 80, steps })
  assert.equal(code, 130)
  const frames = output.split('\x1b[H')
  const last = plain(frames.at(-1))
    .split('\r\r\n')
    .slice(0, 4)
    .map((line) => line.replace('\x1b[K', ''))
  assert.deepEqual(last.slice(1, 3), ['▸ executor', '  ███████████████  4/4  0 free  1 queued'])
})

test('watch leaves the terminal as it was, whatever ends it', unix, async (t) => {
  const url = await playing(t, HOST)
  const env = { NODE_OPTIONS: `--require "${fileURLToPath(new URL('cli/crash.cjs', import.meta.url))}"` }
  const until = 'no room for 1 now'
  for (const [code, settings] of [
    [130, { steps: [{ until, signal: 'SIGINT' }] }],
    [143, { steps: [{ until, signal: 'SIGTERM' }] }],
    [129, { steps: [{ until, signal: 'SIGHUP' }] }],
    [70, { env }]
  ]) {
    const { output, ...ended } = await runInTerminal(['watch', url], { columns: 80, ...settings })
    assert.deepEqual(ended, { code, restored: true })
    const { main, onMain, cursorShown } = screenOf(output, Infinity)
    assert.deepEqual({ onMain, cursorShown }, { onMain: true, cursorShown: true })
    // What is said of a crash is not said on the screen that goes away.
    assert.equal(main.split('\n')[0], code === 70 ? 'bridge-admission: Error: crash on purpose' : '')
  }
})

test('watch that is suspended gives the terminal back meanwhile', unix, async (t) => {
  const url = await playing(t, HOST)
  const steps = [
    { until: 'no room for 1 now', signal: 'SIGTSTP' },
    { stopped: true, signal: 'SIGCONT' },
    { until: 'no room for 1 now', signal: 'SIGINT' }
  ]
  const { code, output } = await runInTerminal(['watch', url], { columns: 80, steps })
  assert.equal(code, 130)
  assert.equal(output.split('\x1b[?1049h').length, 3)
  assert.equal(output.split('\x1b[?1049l').length, 3)
})

test('watch shows what goes wrong, and goes on', unix, async () => {
  const steps = [{ until: 'cannot be reached', type: '\x03' }]
  const { code, output } = await runInTerminal(['watch', DEAD], { columns: 80, steps })
  const { alternate } = screenOf(output.replace('^C', ''), 80)
  const sentence = 'bridge http://127.0.0.1:1 cannot be reached: connect ECONNREFUSED 127.0.0.1:1'
  assert.deepEqual([code, alternate], [130, `${DEAD}\n${sentence}\n`])
})

test('a terminal without colours, and one that cannot be steered', unix, async (t) => {
  const url = await playing(t, HOST, 'health-host-idle.json')
  const noColour = await runInTerminal([HOST], { columns: 80, env: { NO_COLOR: '1' } })
  assert.doesNotMatch(noColour.output, /\x1b/)
  const dumb = await runInTerminal([url, '--wait', '10m'], { columns: 80, env: { TERM: 'dumb' } })
  assert.match(dumb.output, /^bridge-admission: waiting 0s of 10m00s: executor is full \(4\/4\), 1 ahead\r\n/)
  assert.match(dumb.output, /^[ -~\r\n]*$/)
  const watch = await runInTerminal(['watch', url], { columns: 80, env: { TERM: 'dumb' } })
  assert.deepEqual(
    [watch.code, watch.output],
    [64, 'bridge-admission: watch needs a terminal: use check elsewhere (--help tells more)\r\n']
  )
})
