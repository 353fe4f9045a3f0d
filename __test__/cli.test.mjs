// The command line, and what one check says of every kind of source.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import durations from '../lib/cli/duration.js'
import options from '../lib/cli/options.js'
import usage from '../lib/cli/usage.js'
import { startBridge } from '../stand-in/bridge.mjs'
import { COMMAND, run, unix } from './cli/run.mjs'

const { parseDuration, formatDuration } = durations
const { Usage } = usage

const FULL = 'health-host-full-queued-1.json'
const IDLE = 'health-host-idle.json'
const BEARER = 'bearer-of-the-test'
/** Its own start-up files would print into the output. */
const SHELL = { command: 'bash', head: ['--norc'] }
/** Nobody listens on the port of TCP's multiplexer. */
const DEAD = 'http://127.0.0.1:1'

async function bridgeFor(t, settings) {
  const bridge = await startBridge(settings)
  t.after(() => bridge.close())
  return bridge
}

/** The URL of a server that answers every request so. Without an answer it hangs. */
async function serverFor(t, answer) {
  const server = createServer((request, response) => {
    if (answer) response.writeHead(answer.status ?? 200, answer.headers).end(answer.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${server.address().port}`
}

function directoryFor(t) {
  const directory = mkdtempSync(path.join(tmpdir(), 'bridge-admission-'))
  t.after(() => rmSync(directory, { recursive: true }))
  return directory
}

/** Asserts the exit code and the exact text of an error, with nothing on standard output. */
async function assertComplaint(args, code, text, settings) {
  const { code: actual, stdout, stderr } = await run(args, settings)
  assert.deepEqual({ actual, stdout, stderr }, { actual: code, stdout: '', stderr: `bridge-admission: ${text}\n` })
}

const assertUsage = (args, text, settings) => assertComplaint(args, 64, `${text} (--help tells more)`, settings)

test('durations as people write them', () => {
  const read = {
    '90s': 90_000,
    '10m': 600_000,
    '1h30m': 5_400_000,
    '1h0m1s': 3_601_000,
    '1.5s': 1_500,
    '250ms': 250,
    '1s500ms': 1_500,
    '596h': 2_145_600_000
  }
  for (const [text, ms] of Object.entries(read)) assert.equal(parseDuration(text, '--wait'), ms, text)
})

test('other durations are refused', () => {
  const wrong = ['', '10', 's', '5 s', '-5s', '5S', '30m1h', '1m1m', '1e3s', '.5s', '5.s', '٣s', '5sec', 'Infinity']
  for (const text of wrong) {
    const message = `--wait must be a time such as 90s, 10m or 1h30m, got '${text}'`
    assert.throws(() => parseDuration(text, '--wait'), { message }, text)
  }
  for (const text of ['0s', '0.1ms', '0h0m']) {
    assert.throws(() => parseDuration(text, '--wait'), { message: `--wait must be a time above 0, got '${text}'` })
  }
  for (const text of ['597h', '99999999999999999999s']) {
    assert.throws(() => parseDuration(text, '--wait'), { message: `--wait must be at most 596h, got '${text}'` })
  }
})

test('durations for people', () => {
  const shown = { 0: '0s', 999: '0s', 59_999: '59s', 65_000: '1m05s', 600_000: '10m00s', 7_380_000: '2h03m' }
  for (const [ms, text] of Object.entries(shown)) assert.equal(formatDuration(Number(ms)), text)
})

test('command lines are read', () => {
  const lines = [
    [[], { verb: 'check', values: {} }],
    [['-'], { verb: 'check', operand: '-', values: {} }],
    [['check', 'check'], { verb: 'check', operand: 'check', values: {} }],
    [['classify', '--json'], { verb: 'classify', values: { json: true } }],
    [['x', '-n4', '--timeout=2s'], { verb: 'check', operand: 'x', values: { intended: 4, timeout: 2_000 } }],
    [['--model', 'gemini', 'watch', 'x'], { verb: 'watch', operand: 'x', values: { model: 'gemini' } }],
    [['--', '--x'], { verb: 'check', operand: '--x', values: {} }],
    [
      ['x', '--exec', '--', 'watch', '--json', '--'],
      { verb: 'check', operand: 'x', values: { exec: true }, command: ['watch', '--json', '--'] }
    ]
  ]
  for (const [argv, wanted] of lines) {
    const { values, ...rest } = options.parse(argv)
    const read = { ...rest, values: { ...values } }
    assert.deepEqual(read, { operand: undefined, command: undefined, ...wanted }, argv.join(' '))
  }
})

test('command lines that cannot be obeyed', () => {
  const slots = (text) => `--intended must be a whole number from 1 to 9007199254740991, got '${text}'`
  const lines = [
    [['a', 'b'], "one URL|FILE|- at most, got 'a' 'b'"],
    [['classify', 'a', 'b'], "one FILE|- at most, got 'a' 'b'"],
    [['--wut'], "Unknown option '--wut'"],
    [['--bearer=x'], "Unknown option '--bearer'"],
    [['--json=x'], "Option '--json' does not take an argument"],
    [['--wait'], "Option '--wait <value>' argument missing"],
    [['--wait', '--json'], "Option '--wait' argument is ambiguous"],
    [['--model', ''], '--model must not be empty'],
    ...['0', '-1', '1.5', '4x', '1e3', '0x4', '9007199254740992'].map((text) => [[`--intended=${text}`], slots(text)]),
    [['--lane', 'bulky'], "--lane must be one of bulk, reserved, none, got 'bulky'"],
    [['--executor', 'docker'], "--executor must be one of host, scoped-host, none, got 'docker'"],
    [['watch', 'x', '--wait', '1s'], '--wait is not an option of watch'],
    [['classify', '-n', '1'], '--intended is not an option of classify'],
    [['x', '--exec'], '--exec needs a command: --exec -- command [argument ...]'],
    [['x', '--exec', '--', ''], '--exec needs a command: --exec -- command [argument ...]'],
    [['x', '--exec', '--json', '--', 'a'], "--exec and --json exclude each other: the output is the command's"],
    [['x', '--json', '--quiet'], '--json and --quiet exclude each other']
  ]
  for (const [argv, message] of lines) {
    assert.throws(
      () => options.parse(argv),
      (error) => error instanceof Usage && error.message === message,
      argv.join(' ')
    )
  }
})

test('exit 64: what no source can be made of', async () => {
  await assertUsage([], 'no bridge is given: name its URL, or set BRIDGE_URL')
  await assertUsage([''], 'no bridge is given: name its URL, or set BRIDGE_URL', { env: { BRIDGE_URL: DEAD } })
  for (const BRIDGE_URL of [' ', IDLE, '-', 'localhost:3344']) {
    const env = { BRIDGE_URL }
    await assertUsage([], `the URL must be one of http or https, got '${BRIDGE_URL}'`, { env })
  }
  await assertUsage(['localhost:3344'], "a URL begins with http:// or https://, got 'localhost:3344'")
  await assertUsage(['ftp://x'], "the URL must be one of http or https, got 'ftp://x'")
  await assertUsage(['http://'], "the URL must be one of http or https, got 'http://'")
  await assertUsage(['http://x:99999'], "the URL must be one of http or https, got 'http://x:99999'")
  await assertUsage(['http://x/\x1b[31m'], "the URL must be one of http or https, got 'http://x/\ufffd[31m'")
  await assertUsage(['http://u:p@x:99999'], "the URL must be one of http or https, got 'http://…@x:99999'")
  await assertUsage(['u:p@x:80'], "a URL begins with http:// or https://, got '…@x:80'")
  await assertUsage(['http://x/?a=1'], "the URL must end before any ? or #, got 'http://x/?a=1'")
  await assertUsage(
    ['http://user:secret@x'],
    'the URL must hold no user or password, which others could see: set BRIDGE_BEARER or --bearer-file'
  )
  await assertUsage([FULL, '--wait', '1s'], `--wait asks a bridge again: ${FULL} must be its URL`)
  await assertUsage(['-', '--wait', '1s'], '--wait asks a bridge again: standard input must be its URL')
  await assertUsage(['watch', DEAD], 'watch needs a terminal: use check elsewhere')
})

test('exit 0: room, for people', async () => {
  const { code, stdout, stderr } = await run([IDLE, '--ascii'])
  const lines = [
    'health-host-idle.json',
    '> executor        ---------------------------------------  0/4  4 free  0 queued',
    '  bulk admission  ---------------------------------------  0/6  6 free',
    '  admission       ---------------------------------------  0/8  8 free',
    'room for 1: 4 free at the limiting gate, executor',
    ''
  ]
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: lines.join('\n'), stderr: '' })
})

test('exit 75: no room, from a file, standard input and a bridge', async (t) => {
  const bridge = await bridgeFor(t, { probes: false })
  await bridge.hold(4)
  const refusal = 'executor is full: in_flight 4 of max 4'
  const sources = [
    [FULL, `no room for 1 now: bridge ${refusal} (queued 1, acquire deadline 1500 ms)`],
    ['-', `no room for 1 now: bridge ${refusal} (queued 1, acquire deadline 1500 ms)`],
    [bridge.url, `no room for 1 now: bridge ${bridge.url} ${refusal} (queued 0, acquire deadline 60000 ms)`],
    [`${bridge.url}/`, `no room for 1 now: bridge ${bridge.url} ${refusal} (queued 0, acquire deadline 60000 ms)`]
  ]
  const input = readFileSync(new URL(`captures/${FULL}`, import.meta.url))
  for (const [source, sentence] of sources) {
    const { code, stdout, stderr } = await run([source], { input })
    assert.deepEqual([code, stdout.split('\n').at(-2), stderr], [75, sentence, ''], source)
  }
  const { code } = await run([], { env: { BRIDGE_URL: bridge.url } })
  assert.equal(code, 75)
})

test('exit 78: what can never fit', async (t) => {
  const bridge = await bridgeFor(t, { probes: false })
  await bridge.hold(4)
  const refusal = `bridge ${bridge.url} executor is full: in_flight 4 of max 4 (queued 0, acquire deadline 60000 ms)`
  const { code, stdout } = await run([bridge.url, '-n', '5'])
  assert.equal(code, 78)
  // The text of the refusal is that of a full gate; that it can never fit is decided from the limit.
  assert.equal(stdout.split('\n').at(-2), `never room for 5, since the limit of the gate executor is 4: ${refusal}`)
})

test('exit 78: a bulk lane that is closed', async () => {
  const input = JSON.stringify({ admission: { activeByClass: { bulk: 0 }, bulkMaxActive: 0 } })
  assert.equal((await run(['-', '-q'], { input })).code, 78)
  assert.equal((await run(['-', '-q', '--lane', 'reserved'], { input })).code, 0)
})

test('exit 69: unreachable, and 0 with --fail-open', async (t) => {
  const hanging = await serverFor(t)
  const redirecting = await serverFor(t, { status: 302, headers: { location: DEAD }, body: '' })
  const cases = [
    [[DEAD], `bridge ${DEAD} cannot be reached: connect ECONNREFUSED 127.0.0.1:1`],
    [[hanging, '--timeout', '200ms'], `bridge ${hanging} cannot be reached: no answer within 200 ms`],
    [[redirecting], `bridge ${redirecting} answers HTTP 302 with no /health body`]
  ]
  for (const [args, text] of cases) {
    await assertComplaint(args, 69, text)
    await assertComplaint([...args, '--fail-open'], 0, `${text}; taken for room, as --fail-open says`)
    // Errors are no answer: --quiet leaves them.
    await assertComplaint([...args, '--quiet'], 69, text)
  }
})

test('exit 69: unreadable answers', async (t) => {
  const unreadable = [
    [200, 'not JSON'],
    [200, ''],
    [200, '[]'],
    [200, 'null'],
    [200, '"text"'],
    [200, '{} {}'],
    [200, '\ufeff{}'],
    [200, '{"admission": {"active": 1'],
    // Errors of proxies and other servers: no gate is reported.
    [404, '{"error": {"type": "not_found"}}'],
    [502, '{"message": "no upstream"}'],
    [503, '{}']
  ]
  for (const [status, body] of unreadable) {
    const url = await serverFor(t, { status, body })
    await assertComplaint([url], 69, `bridge ${url} answers HTTP ${status} with no /health body`)
  }
})

test('a body is read whatever the status', async (t) => {
  const body = readFileSync(new URL(`captures/${FULL}`, import.meta.url))
  for (const status of [200, 503, 500]) {
    const url = await serverFor(t, { status, body })
    assert.equal((await run([url, '-q'])).code, 75, String(status))
    assert.equal((await run([url, '-q', '--executor', 'none'])).code, 0, String(status))
  }
})

test('exit 69: files that cannot be read', async (t) => {
  const directory = directoryFor(t)
  const large = path.join(directory, 'large.json')
  writeFileSync(large, `{"a": "${'x'.repeat(4 << 20)}"}`)
  await assertComplaint(['absent.json'], 69, 'absent.json cannot be read: no such file')
  await assertComplaint([directory], 69, `${directory} cannot be read: it is a directory`)
  await assertComplaint([large], 69, `${large} cannot be read: it is larger than 4194304 bytes`)
  await assertComplaint([process.execPath], 69, `${process.execPath} cannot be read: it is larger than 4194304 bytes`)
  await assertComplaint([COMMAND], 69, `${COMMAND} holds no /health body`)
  await assertComplaint(['-'], 69, 'standard input holds no /health body')
})

test('exit 77: the bearer is missing or wrong', async (t) => {
  const { url } = await bridgeFor(t, { probes: false, bearer: BEARER })
  const file = path.join(directoryFor(t), 'bearer')
  const text = `bridge ${url} answers HTTP 401: the bearer is missing or wrong`
  await assertComplaint([url], 77, text)
  await assertComplaint([url, '--fail-open'], 77, text)
  await assertComplaint([url], 77, text, { env: { BRIDGE_BEARER: 'another' } })
  await assertComplaint([url, '--wait', '10m'], 77, text)
  assert.equal((await run([url], { env: { BRIDGE_BEARER: BEARER } })).code, 0)
  for (const written of [BEARER, `${BEARER}\n`, `${BEARER}\r\n`]) {
    writeFileSync(file, written)
    assert.equal((await run([url, '--bearer-file', file], { env: { BRIDGE_BEARER: 'another' } })).code, 0)
  }
  // One newline is the file's; all else is the bearer's.
  writeFileSync(file, `${BEARER}\n\n`)
  const unsendable = 'the bearer holds a character that no HTTP header can carry'
  await assertUsage([url, '--bearer-file', file], unsendable)
  const body = readFileSync(new URL(`captures/${IDLE}`, import.meta.url))
  const forbidding = await serverFor(t, { status: 403, body })
  await assertComplaint([forbidding], 77, `bridge ${forbidding} answers HTTP 403: the bearer is missing or wrong`)
})

test('exit 64: bearers that cannot be used', async (t) => {
  const file = path.join(directoryFor(t), 'bearer')
  await assertUsage([DEAD, '--bearer-file', file], `--bearer-file ${file} cannot be read: no such file`)
  writeFileSync(file, '\n')
  await assertUsage([DEAD, '--bearer-file', file], `--bearer-file ${file} is empty`)
})

test('exit 64: a bearer without end', unix, async () => {
  const endless = '--bearer-file /dev/zero cannot be read: it is larger than 65536 bytes'
  await assertUsage([DEAD, '--bearer-file', '/dev/zero'], endless)
})

test('the bearer is in no output', async (t) => {
  const { url } = await bridgeFor(t, { probes: false, bearer: BEARER })
  const file = path.join(directoryFor(t), 'bearer')
  writeFileSync(file, `${BEARER}\n`)
  const env = { BRIDGE_BEARER: BEARER }
  const lines = [
    [url],
    [url, '--json'],
    [url, '--bearer-file', file, '--json'],
    [url, '--exec', '--', process.execPath, '-p', 'process.argv.length'],
    [DEAD],
    [DEAD, '--json'],
    ['--help'],
    ['--version'],
    // Given by mistake, where it could be repeated.
    [BEARER],
    [BEARER, '--json'],
    [`http://127.0.0.1:1/${BEARER}`, '--json'],
    [url, `--${BEARER}`],
    [url, '--lane', BEARER],
    [url, '--wait', BEARER],
    [url, BEARER],
    [url, '--bearer-file', BEARER],
    ['watch', BEARER]
  ]
  for (const args of lines) {
    const { stdout, stderr } = await run(args, { env })
    assert.notEqual(stdout + stderr, '', args.join(' '))
    assert.ok(!(stdout + stderr).includes(BEARER), `${args.join(' ')}: ${stdout}${stderr}`)
  }
})

test('--json: room', async () => {
  const { code, stdout, stderr } = await run([IDLE, '--json', '-n', '2', '--lane', 'reserved', '--model', 'gemini/x'])
  const none = { queued: null, acquireDeadlineMs: null }
  assert.deepEqual(
    { code, stderr, report: JSON.parse(stdout) },
    {
      code: 0,
      stderr: '',
      report: {
        verdict: 'room',
        exitCode: 0,
        free: 4,
        limiting: 'executor',
        gates: [
          { name: 'executor', active: 0, limit: 4, free: 4, queued: 0, acquireDeadlineMs: 1500 },
          { name: 'admission', active: 0, limit: 8, free: 8, ...none }
        ],
        refusal: null,
        error: null,
        httpStatus: null,
        failedOpen: false,
        intended: { slots: 2, lane: 'reserved', executor: 'host' },
        source: IDLE
      }
    }
  )
})

test('--json: every verdict has the same fields', async (t) => {
  const { url } = await bridgeFor(t, { probes: false, bearer: BEARER })
  const unreadable = await serverFor(t, { body: 'x' })
  const cases = [
    [[FULL], { verdict: 'no-room', exitCode: 75, httpStatus: null, failedOpen: false }],
    [[FULL, '-n', '7'], { verdict: 'never-fits', exitCode: 78, httpStatus: null, failedOpen: false }],
    [[DEAD], { verdict: 'unreachable', exitCode: 69, httpStatus: null, failedOpen: false }],
    [[DEAD, '--fail-open'], { verdict: 'unreachable', exitCode: 0, httpStatus: null, failedOpen: true }],
    [[unreadable], { verdict: 'unreadable', exitCode: 69, httpStatus: 200, failedOpen: false }],
    [[url], { verdict: 'unauthorized', exitCode: 77, httpStatus: 401, failedOpen: false }]
  ]
  const fields = Object.keys(JSON.parse((await run([IDLE, '--json'])).stdout))
  for (const [args, wanted] of cases) {
    const { code, stdout } = await run([...args, '--json'])
    const report = JSON.parse(stdout)
    const { verdict, exitCode, httpStatus, failedOpen } = report
    assert.deepEqual({ verdict, exitCode, httpStatus, failedOpen }, wanted, args.join(' '))
    assert.equal(code, wanted.exitCode)
    assert.deepEqual(Object.keys(report), fields)
    assert.equal(report.error === null, report.gates.length > 0, 'an error, or gates')
    assert.equal(report.refusal === null, report.error !== null, 'an error, or a refusal')
  }
})

test('--model tells the executor, --executor goes before it', async () => {
  const executorOf = async (...args) => JSON.parse((await run([IDLE, '--json', ...args])).stdout).intended.executor
  assert.equal(await executorOf('--model', 'GEMINI'), 'host')
  assert.equal(await executorOf('--model', 'claude/sonnet'), 'scoped-host')
  assert.equal(await executorOf('--model', 'amp'), 'none')
  assert.equal(await executorOf('--model', 'unheard-of/x'), null)
  assert.equal(await executorOf('--model', 'gemini', '--executor', 'none'), 'none')
})

test('turns of sandbox models pass no gate, and the bridge is not asked', async () => {
  const { code, stdout } = await run([DEAD, '--model', 'sandbox/x'])
  assert.deepEqual([code, stdout], [0, `${DEAD}\nroom for 1: such turns pass no gate that is reported\n`])
  assert.equal((await run([DEAD, '--model', 'sandbox/x', '--executor', 'host'])).code, 69)
})

test('odd bodies are read as the functions read them', async () => {
  const full = '"executor":{"in_flight":4,"max":4}'
  const bodies = {
    'nested as deep as one likes': `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)},${full}}`,
    'invalid UTF-8 in a string': Buffer.from(`{"a":"\xff\xfe",${full}}`, 'latin1'),
    'the last of equal keys': `{"executor":{"in_flight":0,"max":4},${full}}`
  }
  for (const [what, input] of Object.entries(bodies)) assert.equal((await run(['-', '-q'], { input })).code, 75, what)
  const unusable = '{"executor":{"in_flight":1e308,"max":1e309},"admission":{"active":0.5,"maxActive":1.25}}'
  assert.match((await run(['-'], { input: unusable })).stdout, /0\.5\/1\.25  0\.75 free\nno room for 1 now/)
})

test('a name of others in ASCII', unix, async (t) => {
  const file = path.join(directoryFor(t), 'b\u00e9\u{1f600}\x1b[31m.json')
  writeFileSync(file, '{}')
  const name = async (...args) => path.basename((await run([file, ...args])).stdout.split('\n')[0])
  assert.equal(await name(), 'b\u00e9\u{1f600}\ufffd[31m.json')
  assert.equal(await name('--ascii'), 'b???[31m.json')
})

test('a body without gates speaks against nothing', async () => {
  const { code, stdout } = await run(['-'], { input: '{}' })
  assert.deepEqual([code, stdout], [0, 'standard input\nroom for 1: such turns pass no gate that is reported\n'])
})

test('--quiet prints nothing', async () => {
  for (const [source, wanted] of [
    [IDLE, 0],
    [FULL, 75]
  ]) {
    const { code, stdout, stderr } = await run([source, '--quiet'])
    assert.deepEqual([code, stdout, stderr], [wanted, '', ''])
  }
})

test('without a terminal no escape code is printed', async () => {
  const env = { TERM: 'xterm-256color', COLORTERM: 'truecolor', FORCE_COLOR: '3', COLUMNS: '40' }
  for (const args of [[IDLE], [FULL], [FULL, '-n', '9'], ['\x1b[31m.json'], ['--help'], ['classify', COMMAND]]) {
    const { stdout, stderr } = await run(args, { env, input: '\x1b[31mred\x9b31m' })
    assert.ok(!/[\x00-\x09\x0b-\x1f\x7f-\x9f]/.test(stdout + stderr), JSON.stringify(stdout + stderr))
  }
})

test('a reader that ends early is no failure', unix, async () => {
  const line = `"${process.execPath}" "${COMMAND}" ${FULL} | true; echo "\${PIPESTATUS[0]}"`
  const { stdout, stderr } = await run(['-c', line], SHELL)
  assert.deepEqual([stdout, stderr], ['75\n', ''])
})

const linux = { skip: process.platform !== 'linux' && '/dev/full is of Linux' }

test('exit 74: output that cannot be written', linux, async (t) => {
  const line = `"${process.execPath}" "${COMMAND}" ${IDLE} > /dev/full`
  const { code, stderr } = await run(['-c', line], SHELL)
  assert.equal(code, 74)
  assert.equal(stderr, 'bridge-admission: the output cannot be written: ENOSPC: no space left on device, write\n')
  // What prints nothing writes nothing.
  const quiet = (words) => run(['-c', `"${process.execPath}" "${COMMAND}" ${words} > /dev/full`], SHELL)
  const { url } = await bridgeFor(t, { probes: false })
  for (const [words, wanted] of [
    [`${IDLE} -q`, 0],
    [`${FULL} -q`, 75],
    [`classify ${FULL} -q`, 1],
    [`${url} --exec -- sh -c 'exit 7'`, 7]
  ]) {
    const { code, stderr } = await quiet(words)
    assert.deepEqual([code, stderr], [wanted, ''], words)
  }
})

test('what is still under way is not waited for', async () => {
  const env = { NODE_OPTIONS: `--require "${fileURLToPath(new URL('cli/busy.cjs', import.meta.url))}"` }
  const { code, stdout } = await run(['health-host-full-queued-1.json'], { env })
  assert.equal(code, 75)
  assert.match(stdout, /\nno room for 1 now: .*\n$/)
})

test('closed streams do no harm', unix, async () => {
  const line = (redirect) => [['-c', `"${process.execPath}" "${COMMAND}" - ${redirect}`], SHELL]
  assert.equal((await run(...line('<&-'))).code, 69)
  assert.equal((await run(...line(`< ${FULL} >&-`))).code, 75)
  assert.equal((await run(...line(`< ${FULL} 2>&-`))).code, 75)
})
