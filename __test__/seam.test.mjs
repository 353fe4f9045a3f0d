// The seam form against real servers on loopback.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { inspect, promisify } from 'node:util'
import vm from 'node:vm'
import zlib from 'node:zlib'
import { bridgeAdmissionRefusal } from '../index.js'
import { bytesOf, casesOf } from './cases.mjs'
import { listen, urlOf } from './servers.mjs'

const FULL = bytesOf('captures/health-host-full-queued-1.json')
const IDLE = bytesOf('captures/health-host-idle.json')
const BEARER = 't0p-secret-bearer'
const refusalOf = (url) => `bridge ${url} executor is full: in_flight 4 of max 4 (queued 1, acquire deadline 1500 ms)`

const FACE = new URL('../index.js', import.meta.url).href

/** A script in a process of its own, which has to end by itself. */
const run = (script, env = {}) =>
  promisify(execFile)(process.execPath, ['-e', script], { env: { ...process.env, ...env }, timeout: 20_000 })

/** A bridge that answers as it is told. */
async function bridge(answer) {
  return urlOf(http.createServer(answer))
}

/** A server below HTTP. */
async function socket(speak) {
  return urlOf(
    net.createServer((connection) => {
      connection.on('error', () => {})
      speak(connection)
    })
  )
}

const serve =
  (body, status = 200, headers = {}) =>
  (request, response) => {
    request.resume()
    response.writeHead(status, headers)
    response.end(body)
  }

test('reads the body whatever the status', async () => {
  for (const status of [200, 201, 401, 404, 429, 500, 503]) {
    const bridgeUrl = await bridge(serve(FULL, status))
    assert.equal(await bridgeAdmissionRefusal({ bridgeUrl }), refusalOf(bridgeUrl), String(status))
  }
  const bridgeUrl = await bridge(serve(IDLE, 503))
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl }), undefined)
  assert.equal(
    await bridgeAdmissionRefusal({ bridgeUrl }, undefined, { intended: 5 }),
    `bridge ${bridgeUrl} executor can never fit 5: in_flight 0 of max 4 (queued 0, acquire deadline 1500 ms)`
  )
})

test('every case with a URL', async () => {
  for (const row of casesOf('admission.jsonl').filter(({ url }) => url)) {
    const bridgeUrl = await bridge(serve(JSON.stringify(row.health)))
    const refusal = await bridgeAdmissionRefusal({ bridgeUrl }, undefined, { intended: row.slots })
    assert.equal(refusal, row.refusal.replace(row.url, bridgeUrl), row.id)
  }
})

test('asks once, with the bearer, and keeps nothing open', async () => {
  const asked = []
  const bridgeUrl = await bridge((request, response) => {
    asked.push([request.method, request.url, request.headers])
    serve(FULL)(request, response)
  })
  const { host } = new URL(bridgeUrl)
  const common = { host, connection: 'close', accept: 'application/json', 'accept-encoding': 'identity' }
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl, bridgeBearer: BEARER }), refusalOf(bridgeUrl))
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl: `${bridgeUrl}/` }), refusalOf(bridgeUrl))
  assert.equal(
    await bridgeAdmissionRefusal({ bridgeUrl: `${bridgeUrl}/a/b`, bridgeBearer: '' }),
    refusalOf(`${bridgeUrl}/a/b`)
  )
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl, bridgeBearer: null }), refusalOf(bridgeUrl))
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl, bridgeBearer: `${BEARER}\r\n` }), refusalOf(bridgeUrl))
  assert.deepEqual(asked, [
    ['GET', '/health', { ...common, authorization: `Bearer ${BEARER}` }],
    ['GET', '/health', common],
    ['GET', '/a/b/health', common],
    ['GET', '/health', common],
    ['GET', '/health', { ...common, authorization: `Bearer ${BEARER}` }]
  ])
})

test('the model tells the executor, unless the caller does', async () => {
  let asked = 0
  const body = {
    executor: {
      in_flight: 4,
      max: 4,
      scoped_host: { in_flight: 2, max: 4, acquires: 9, bulk_in_flight: 2, bulk_max: 2 }
    },
    admission: { active: 8, maxActive: 8 }
  }
  const bridgeUrl = await bridge((request, response) => {
    asked += 1
    serve(JSON.stringify(body))(request, response)
  })
  const host = `bridge ${bridgeUrl} executor is full: in_flight 4 of max 4`
  const lane = `bridge ${bridgeUrl} scoped-host executor bulk lane is full: bulk_in_flight 2 of bulk_max 2 (in_flight 2 of max 4)`
  const admission = `bridge ${bridgeUrl} admission is full: active 8 of maxActive 8`
  for (const [model, intended, expected] of [
    ['gemini/gemini-2.5-pro', undefined, host],
    ['GEMINI', undefined, host],
    ['claude/sonnet', undefined, lane],
    ['kimi-code', 1, lane],
    ['amp/x', { slots: 1 }, admission],
    ['unheard-of/x', undefined, host],
    [undefined, undefined, host],
    [null, undefined, host],
    [5, undefined, host],
    ['gemini/x', { slots: 1, executor: 'scoped-host' }, lane],
    ['gemini/x', { slots: 1, executor: 'none' }, admission],
    ['claude/x', { slots: 1, lane: 'none', executor: 'none' }, undefined],
    ['sandbox/x', { slots: 1, executor: 'host' }, host]
  ]) {
    const refusal = await bridgeAdmissionRefusal({ bridgeUrl, model }, undefined, { intended })
    assert.equal(refusal, expected, `${model} ${JSON.stringify(intended)}`)
  }
  const fickle = {
    slots: 1,
    get executor() {
      return reads++ === 0 ? 'host' : undefined
    }
  }
  let reads = 0
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl, model: 'sandbox/x' }, undefined, { intended: fickle }), host)
  const before = asked
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl, model: 'sandbox/x' }), undefined)
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl, model: 'Sandbox' }, undefined, { intended: 9 }), undefined)
  assert.equal(asked, before, 'a sandbox turn passes no gate: the bridge is not asked')
})

test('a full bridge takes 3.5 s, and is heard', async () => {
  const bridgeUrl = await bridge((request, response) => setTimeout(() => serve(FULL, 503)(request, response), 3_500))
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl }), refusalOf(bridgeUrl))
})

test('what cannot be read refuses nothing', async (t) => {
  const closed = http.createServer()
  const refused = await urlOf(closed)
  closed.close()
  const redirect = await bridge((request, response) => {
    assert.equal(request.url, '/health', 'a redirect is not followed')
    response.writeHead(307, { location: '/elsewhere' })
    response.end()
  })
  for (const [what, bridgeUrl] of [
    ['refused port', refused],
    ['a name that is none', 'http://bridge.invalid'],
    ['redirect', redirect],
    ['invalid JSON', await bridge(serve('<html>502 Bad Gateway</html>', 502))],
    ['empty', await bridge(serve(''))],
    ['no content', await bridge(serve(undefined, 204))],
    ['gzip that nobody asked for', await bridge(serve(zlib.gzipSync(FULL), 200, { 'content-encoding': 'gzip' }))],
    ['oversized', await bridge(serve(Buffer.concat([FULL, Buffer.alloc(4 << 20, ' ')])))],
    [
      'closed mid-body',
      await socket((connection) =>
        connection.once('data', () => connection.end(`HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n${FULL}`))
      )
    ],
    [
      'a chunk that never came',
      await socket((connection) =>
        connection.once('data', () =>
          connection.end(
            `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${FULL.length.toString(16)}\r\n${FULL}\r\n`
          )
        )
      )
    ],
    ['no HTTP', await socket((connection) => connection.end('SSH-2.0-OpenSSH_9.9\r\n'))],
    ['closed at once', await socket((connection) => connection.destroy())],
    [
      'another protocol',
      await socket((connection) =>
        connection.once('data', () =>
          connection.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
        )
      )
    ]
  ]) {
    await t.test(what, async () => {
      assert.equal(await bridgeAdmissionRefusal({ bridgeUrl, bridgeBearer: BEARER }), undefined)
    })
  }
})

test('a body of just 4 MiB is read', async () => {
  const bridgeUrl = await bridge(serve(Buffer.concat([FULL, Buffer.alloc((4 << 20) - FULL.length, ' ')])))
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl }), refusalOf(bridgeUrl))
})

test('the body that came before a close without a length is whole', async () => {
  const bridgeUrl = await socket((connection) =>
    connection.once('data', () => connection.end(`HTTP/1.0 200 OK\r\n\r\n${FULL}`))
  )
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl }), refusalOf(bridgeUrl))
})

test('IPv6', async (t) => {
  const server = http.createServer(serve(FULL))
  try {
    const port = await listen(server, '::1')
    const bridgeUrl = `http://[::1]:${port}`
    assert.equal(await bridgeAdmissionRefusal({ bridgeUrl }), refusalOf(bridgeUrl))
  } catch (error) {
    if (error.code !== 'EADDRNOTAVAIL' && error.code !== 'EAFNOSUPPORT') throw error
    t.skip('this machine has no IPv6')
  }
})

test('https: a certificate that nobody trusts refuses nothing; one that is trusted is heard', async () => {
  const { key, cert } = JSON.parse(bytesOf('loopback-certificate.json'))
  const port = await listen(https.createServer({ key, cert }, serve(FULL)))
  const bridgeUrl = `https://127.0.0.1:${port}`
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl, bridgeBearer: BEARER }), undefined)

  const folder = mkdtempSync(path.join(tmpdir(), 'bridge-admission-'))
  after(() => rmSync(folder, { recursive: true }))
  const trusted = path.join(folder, 'loopback.pem')
  writeFileSync(trusted, cert)
  const { stdout } = await run(
    `import(${JSON.stringify(FACE)}).then(async ({ bridgeAdmissionRefusal }) =>
      console.log(await bridgeAdmissionRefusal({ bridgeUrl: '${bridgeUrl}' })))`,
    { NODE_EXTRA_CA_CERTS: trusted }
  )
  assert.equal(stdout, `${refusalOf(bridgeUrl)}\n`)
})

test('one deadline for all of it', async (t) => {
  for (const [what, speak] of [
    ['headers that never end', (connection) => connection.write('HTTP/1.1 200 OK\r\nx-a: ')],
    ['nothing at all', () => {}],
    [
      'a byte now and then',
      (connection) => {
        connection.write('HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n')
        const drip = setInterval(() => connection.write(' '), 50)
        connection.on('close', () => clearInterval(drip))
      }
    ]
  ]) {
    await t.test(what, async () => {
      let closed
      const bridgeUrl = await socket((connection) => {
        closed = once(connection, 'close')
        connection.resume()
        speak(connection)
      })
      assert.equal(await bridgeAdmissionRefusal({ bridgeUrl }, undefined, { timeoutMs: 300 }), undefined)
      await closed
    })
  }
})

test('within the deadline, and nothing keeps the process', async () => {
  // The server lives in this script too, so that only an open handle could keep it running.
  const script = `
    const net = require('node:net')
    const { bridgeAdmissionRefusal } = require(${JSON.stringify(fileURLToPath(FACE))})
    const server = net.createServer((connection) => {
      connection.on('error', () => {})
      connection.write('HTTP/1.1 200 OK\\r\\n\\r\\n')
      setInterval(() => connection.write(' '), 1000).unref()
    }).listen(0, '127.0.0.1', async () => {
      const asked = performance.now()
      const refusal = await bridgeAdmissionRefusal({ bridgeUrl: 'http://127.0.0.1:' + server.address().port })
      console.log(refusal, Math.abs(performance.now() - asked - 5000) < 500)
      server.close()
      setTimeout(() => console.log('a handle is open', process.getActiveResourcesInfo()), 1500).unref()
    })`
  assert.deepEqual(await run(script), { stdout: 'undefined true\n', stderr: '' })
})

test('an aborted signal rejects, before and during, and not after', async () => {
  let arrived
  const asked = new Promise((resolve) => (arrived = resolve))
  const bridgeUrl = await bridge((request) => arrived(request))
  const reason = new Error('the play was stopped')
  const aborted = { name: 'AbortError', code: 'ABORT_ERR', message: 'The operation was aborted', cause: reason }

  await assert.rejects(bridgeAdmissionRefusal({ bridgeUrl }, AbortSignal.abort(reason)), aborted)
  await assert.rejects(bridgeAdmissionRefusal({ bridgeUrl, model: 'sandbox/x' }, AbortSignal.abort(reason)), aborted)

  const during = new AbortController()
  const answer = bridgeAdmissionRefusal({ bridgeUrl, bridgeBearer: BEARER }, during.signal)
  const request = await asked
  const gone = once(request.socket, 'close')
  during.abort(reason)
  await assert.rejects(answer, aborted)
  await gone

  const after = new AbortController()
  const full = await bridge(serve(FULL))
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl: full }, after.signal), refusalOf(full))
  after.abort(reason)
})

test('one signal for very many checks warns of nothing', async () => {
  const warnings = []
  const onWarning = (warning) => warnings.push(warning.name)
  process.on('warning', onWarning)
  const bridgeUrl = await bridge(serve(FULL))
  const { signal } = new AbortController()
  const answers = await Promise.all(Array.from({ length: 100 }, () => bridgeAdmissionRefusal({ bridgeUrl }, signal)))
  await new Promise(setImmediate)
  process.off('warning', onWarning)
  assert.deepEqual(new Set(answers), new Set([refusalOf(bridgeUrl)]))
  assert.deepEqual(warnings, [])
})

test('a signal of another realm or library', async () => {
  const bridgeUrl = await bridge(serve(FULL))
  const foreign = { aborted: false, addEventListener() {}, removeEventListener() {} }
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl }, foreign), refusalOf(bridgeUrl))
  const reason = 'stopped'
  await assert.rejects(bridgeAdmissionRefusal({ bridgeUrl }, { ...foreign, aborted: true, reason }), {
    name: 'AbortError',
    cause: reason
  })
  const object = vm.runInNewContext('(bridgeUrl) => ({ bridgeUrl })')(bridgeUrl)
  assert.equal(await bridgeAdmissionRefusal(object), refusalOf(bridgeUrl))
})

test('misuse rejects and names the value', async () => {
  const bridgeUrl = await bridge(() => assert.fail('nothing is asked'))
  const url = 'bridgeUrl must be an http(s) URL without a query or fragment, got'
  const bearer = 'bridgeBearer must be a string that an HTTP header can carry, got'
  const signal = 'signal must be an AbortSignal (the intended slots go into options.intended), got'
  const options = 'options must be an object { intended?, timeoutMs? }, got'
  const timeout = 'options.timeoutMs must be a number of ms above 0 that a timer can hold, got'
  for (const [args, name, message] of [
    [[{ bridgeUrl: '' }], 'TypeError', `${url} ''`],
    [[{ bridgeUrl: '127.0.0.1:3344' }], 'TypeError', `${url} '127.0.0.1:3344'`],
    [[{ bridgeUrl: 'localhost:3344' }], 'TypeError', `${url} 'localhost:3344'`],
    [[{ bridgeUrl: 'ftp://127.0.0.1' }], 'TypeError', `${url} 'ftp://127.0.0.1'`],
    [[{ bridgeUrl: 'http://' }], 'TypeError', `${url} 'http://'`],
    [[{ bridgeUrl: `${bridgeUrl}/?a=b` }], 'TypeError', `${url} '${bridgeUrl}/?a=b'`],
    [[{ bridgeUrl: `${bridgeUrl}#` }], 'TypeError', `${url} '${bridgeUrl}#'`],
    [[{ bridgeUrl: `${bridgeUrl} ` }], 'TypeError', `${url} '${bridgeUrl} '`],
    [[{ bridgeUrl: `${bridgeUrl}/\n` }], 'TypeError', `${url} '${bridgeUrl}/\\n'`],
    [[{ bridgeUrl: 'http://u:p/@w0rd@127.0.0.1:99999' }], 'TypeError', `${url} 'http://…@127.0.0.1:99999'`],
    [[{ bridgeUrl: 'u:p@127.0.0.1:80' }], 'TypeError', `${url} '…@127.0.0.1:80'`],
    ...['\0', '\x01', '\x1f', '\r', '\u00a0'].map((end) => [
      [{ bridgeUrl: `http://${BEARER}@127.0.0.1:1${end}`, bridgeBearer: BEARER }],
      'TypeError',
      `${url} ${inspect(`http://…@127.0.0.1:1${end}`)}`
    ]),
    // With options it is the seam form, though the URL was forgotten.
    [[{ bridgeBearer: BEARER }, undefined, {}], 'TypeError', `${url} undefined`],
    [[{ bridgeUrl: new URL(bridgeUrl) }, undefined, { intended: 4 }], 'TypeError', `${url} URL {}`],
    [['http://127.0.0.1:1', undefined, { intended: 4 }], 'TypeError', `${url} undefined`],
    [[undefined, undefined, { intended: 4 }], 'TypeError', `${url} undefined`],
    [[{ bridgeUrl: 'file:///etc/passwd' }], 'TypeError', `${url} 'file:///etc/passwd'`],
    [[{ bridgeUrl, bridgeBearer: 5 }], 'TypeError', `${bearer} a value of type number`],
    [[{ bridgeUrl, bridgeBearer: `${BEARER}\n2` }], 'TypeError', `${bearer} one with a character that it cannot`],
    // Were it looked through once for each of the spaces, this would never end.
    [
      [{ bridgeUrl, bridgeBearer: `${' '.repeat(3_000_000)}\n漢` }],
      'TypeError',
      `${bearer} one with a character that it cannot`
    ],
    [[{ bridgeUrl }, 4], 'TypeError', `${signal} 4`],
    [[{ bridgeUrl }, null], 'TypeError', `${signal} null`],
    [[{ bridgeUrl }, { slots: 4 }], 'TypeError', `${signal} { slots: 4 }`],
    [[{ bridgeUrl }, new AbortController()], 'TypeError', `${signal} AbortController {}`],
    [[{ bridgeUrl }, undefined, 4], 'TypeError', `${options} 4`],
    [[{ bridgeUrl }, undefined, null], 'TypeError', `${options} null`],
    [[{ bridgeUrl }, undefined, { timeoutMs: '5s' }], 'TypeError', `${timeout} '5s'`],
    [[{ bridgeUrl }, undefined, { timeoutMs: null }], 'TypeError', `${timeout} null`],
    [[{ bridgeUrl }, undefined, { timeoutMs: 0 }], 'RangeError', `${timeout} 0`],
    [[{ bridgeUrl }, undefined, { timeoutMs: -1 }], 'RangeError', `${timeout} -1`],
    [[{ bridgeUrl }, undefined, { timeoutMs: NaN }], 'RangeError', `${timeout} NaN`],
    [[{ bridgeUrl }, undefined, { timeoutMs: Infinity }], 'RangeError', `${timeout} Infinity`],
    [[{ bridgeUrl }, undefined, { timeoutMs: 2 ** 31 }], 'RangeError', `${timeout} 2147483648`],
    [
      [{ bridgeUrl }, undefined, { intended: 0 }],
      'RangeError',
      'intended slots must be a positive safe integer, got 0'
    ],
    [
      [{ bridgeUrl, model: 'sandbox' }, undefined, { intended: 0 }],
      'RangeError',
      'intended slots must be a positive safe integer, got 0'
    ]
  ]) {
    await assert.rejects(bridgeAdmissionRefusal(...args), { name, message }, inspect(args))
  }
})

test('credentials in the URL are not shown', async () => {
  const plain = await bridge(serve(FULL))
  const { host } = new URL(plain)
  for (const bridgeUrl of [`http://user:${BEARER}@${host}`, `${plain}/${BEARER}`, `http://u:p%40ss@${host}/`]) {
    assert.equal(await bridgeAdmissionRefusal({ bridgeUrl, bridgeBearer: BEARER }), refusalOf(plain))
  }
  for (const form of ['http:u:p@', 'http:/u:p@', 'http:\\\\u:p@', 'http:////u:p@', 'HTTP://u:p@']) {
    assert.equal(await bridgeAdmissionRefusal({ bridgeUrl: form + host }), refusalOf(plain), form)
  }
  for (const [path, bridgeBearer] of [
    ['7/sé', 'sé'],
    ['7/s%C3%A9', 'sé'],
    ['a"b', 'a"b'],
    ['a{b}', 'a{b}'],
    ['a\\b', 'a\\b'],
    ['a|b^c', 'a|b^c'],
    ['S3C/../7', 'S3C'],
    ['%', '%'],
    ['%73%E9', '%73']
  ]) {
    assert.equal(await bridgeAdmissionRefusal({ bridgeUrl: `${plain}/${path}`, bridgeBearer }), refusalOf(plain), path)
  }
  // One that the host happens to hold is no secret of the URL's.
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl: plain, bridgeBearer: 'http' }), refusalOf(plain))
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl: plain, bridgeBearer: '127' }), refusalOf(plain))
})

test('what a URL or a signal makes Node throw', async () => {
  const bridgeUrl = await bridge(serve(FULL))
  const undecodable = bridgeUrl.replace('//', '//%E0@')
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl: undecodable }), undefined)
  const thrown = new Error('a signal of another library')
  const signal = {
    aborted: false,
    addEventListener() {
      throw thrown
    },
    removeEventListener() {}
  }
  await assert.rejects(bridgeAdmissionRefusal({ bridgeUrl: 'http://127.0.0.1:9' }, signal), thrown)
  const { signal: heard } = new AbortController()
  const removing = {
    aborted: false,
    addEventListener() {},
    removeEventListener() {
      throw thrown
    }
  }
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl }, removing), refusalOf(bridgeUrl))
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl }, heard), refusalOf(bridgeUrl))
  const reasonless = {
    ...removing,
    aborted: true,
    get reason() {
      throw thrown
    }
  }
  await assert.rejects(bridgeAdmissionRefusal({ bridgeUrl }, reasonless), { name: 'AbortError', cause: undefined })
})

test('checks that time out leave the signal to those that still run', async () => {
  const hanging = await socket((connection) =>
    connection.once('data', () => connection.write('HTTP/1.1 200 OK\r\n\r\n{'))
  )
  const controller = new AbortController()
  const listeners = []
  const { addEventListener } = controller.signal
  controller.signal.addEventListener = function (...args) {
    listeners.push(args[0])
    return addEventListener.apply(this, args)
  }
  const long = [bridgeAdmissionRefusal({ bridgeUrl: hanging }, controller.signal)]
  for (let i = 0; i < 3; i += 1) {
    await bridgeAdmissionRefusal({ bridgeUrl: hanging }, controller.signal, { timeoutMs: 50 })
    long.push(bridgeAdmissionRefusal({ bridgeUrl: hanging }, controller.signal))
  }
  assert.deepEqual(listeners, ['abort'], 'one listener for all of them')
  controller.abort()
  for (const answer of long) await assert.rejects(answer, { name: 'AbortError' })
})

test('the bearer is in no error, wherever it was put by mistake', async () => {
  const odd = `it's "${BEARER}" \\ `
  for (const bearer of [BEARER, odd]) {
    const seam = { bridgeUrl: 'http://127.0.0.1:9', bridgeBearer: bearer }
    for (const args of [
      [{ ...seam, bridgeUrl: bearer }],
      [{ ...seam, bridgeUrl: `ftp://user:${bearer}@host` }],
      [{ ...seam, bridgeUrl: `${'x'.repeat(110)}${bearer}` }],
      [seam, bearer],
      [seam, seam],
      [seam, { [bearer]: [bearer] }],
      [seam, undefined, bearer],
      [seam, undefined, { timeoutMs: bearer }],
      [seam, undefined, { intended: bearer }],
      [seam, undefined, { intended: seam }],
      [seam, undefined, { intended: { slots: bearer } }],
      [seam, undefined, { intended: { slots: 1, lane: bearer } }],
      [seam, undefined, { intended: { slots: 1, executor: seam } }],
      [{ ...seam, bridgeBearer: `${bearer}\n2` }],
      [seam, AbortSignal.abort()]
    ]) {
      const error = await bridgeAdmissionRefusal(...args).then(assert.fail, (error) => error)
      for (const shown of [error.message, error.stack, inspect(error, { depth: 9, showHidden: true })]) {
        assert.ok(!shown.includes(BEARER), shown)
      }
    }
  }
})
