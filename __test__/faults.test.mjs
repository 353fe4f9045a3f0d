// Faults on purpose: whatever the other end does, the seam answers or rejects as documented, and leaves nothing behind.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { getEventListeners, once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bridgeAdmissionRefusal } from '../index.js'
import { bytesOf } from './cases.mjs'
import { urlOf } from './servers.mjs'

const FULL = bytesOf('captures/health-host-full-queued-1.json')
const FACE = fileURLToPath(new URL('../index.js', import.meta.url))
const refusalOf = (url) => `bridge ${url} executor is full: in_flight 4 of max 4 (queued 1, acquire deadline 1500 ms)`

/** Longer than a test may take, so that an answer in time is no deadline's. */
const NO_DEADLINE = { timeoutMs: 600_000 }
const IN_TIME = { timeout: 60_000 }

/** A server below HTTP: speaks once the request is there. */
const speaking = (speak) =>
  urlOf(
    net.createServer((connection) => {
      connection.on('error', () => {})
      connection.once('data', () => speak(connection))
    })
  )

const saying = (...parts) =>
  speaking((connection) => {
    for (const part of parts) connection.write(part)
  })

/** A script in a process of its own, which has to end by itself. */
const run = (script, ...args) =>
  promisify(execFile)(process.execPath, ['-e', script, FACE, ...args], { timeout: 60_000 })

const ok = (...headers) => `${['HTTP/1.1 200 OK', ...headers].join('\r\n')}\r\n\r\n`
const length = (bytes) => `content-length: ${bytes}`
const CHUNKED = 'transfer-encoding: chunked'
const chunk = (bytes) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
const LAST_CHUNK = '0\r\n\r\n'
const half = FULL.subarray(0, FULL.length / 2)

const reset = (...parts) =>
  speaking((connection) => {
    for (const part of parts) connection.write(part)
    // What was written has to arrive first: a reset overtakes it.
    setTimeout(() => connection.resetAndDestroy(), 20)
  })

test('faults that leave no whole answer refuse nothing, at once', IN_TIME, async (t) => {
  for (const [what, bridgeUrl] of [
    ['reset on accept', await urlOf(net.createServer((connection) => connection.resetAndDestroy()))],
    ['reset after the request', await reset()],
    ['reset in the status line', await reset('HTTP/1.1 20')],
    ['reset in the headers', await reset('HTTP/1.1 200 OK\r\ncontent-le')],
    ['reset after the headers', await reset(ok(length(FULL.length)))],
    ['reset in the body', await reset(ok(length(FULL.length)), half)],
    ['reset in a body without a length', await reset(ok(), FULL)],
    ['reset before the last chunk', await reset(ok(CHUNKED), chunk(FULL))],
    ['half-open: no more from there, and no answer', await speaking((connection) => connection.end())],
    ['half-open in the headers', await speaking((connection) => connection.end('HTTP/1.1 200 OK\r\na: b\r\n'))],
    ['a length that is too short', await saying(ok(length(half.length)), FULL)],
    [
      'a length that is too long',
      await speaking((connection) => connection.end(`${ok(length(FULL.length + 1))}${FULL}`))
    ],
    ['a length that is no number', await saying(ok('content-length: many'), FULL)],
    ['a negative length', await saying(ok(length(-1)), FULL)],
    ['two lengths', await saying(ok(length(FULL.length), length(FULL.length + 1)), FULL)],
    ['a length, and chunks', await saying(ok(length(FULL.length), CHUNKED), chunk(FULL), LAST_CHUNK)],
    ['a chunk whose size is no number', await saying(ok(CHUNKED), 'zz\r\n', FULL)],
    ['a chunk whose size is negative', await saying(ok(CHUNKED), '-1\r\n', FULL)],
    ['a chunk larger than any number', await saying(ok(CHUNKED), `${'f'.repeat(40)}\r\n`, FULL)],
    ['a chunk longer than its size', await saying(ok(CHUNKED), '1\r\n', FULL, LAST_CHUNK)],
    ['HTTP/0.9: a body and nothing else', await speaking((connection) => connection.end(FULL))],
    ['HTTP/3.7', await saying(`HTTP/3.7 200 OK\r\n${length(FULL.length)}\r\n\r\n`, FULL)],
    ['a status that is no number', await saying('HTTP/1.1 fine\r\n\r\n', FULL)],
    ['noise', await saying(Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 197 + 13) & 0xff)))],
    ['TLS where HTTP was asked', await saying(Buffer.from([0x15, 3, 3, 0, 2, 2, 70]))],
    ['a NUL in a header', await saying(ok(`x: a\0b`, length(FULL.length)), FULL)],
    ['one header of 10 MB', await saying(ok(`x: ${'a'.repeat(10 << 20)}`, length(FULL.length)), FULL)],
    ['10 MB of small headers', await saying(ok('x-a: 0123456789\r\n'.repeat(600_000) + length(FULL.length)), FULL)],
    ['a length that leaves out what follows', await saying(`${ok(length(FULL.length))}${FULL}{"executor":{}}`)],
    [
      'hints without end',
      await speaking((connection) => {
        const hint = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100)
        for (let sent = 0; sent < 100; sent++) connection.write(hint)
        connection.end()
      })
    ]
  ]) {
    await t.test(what, IN_TIME, async () => {
      assert.equal(await bridgeAdmissionRefusal({ bridgeUrl }, undefined, NO_DEADLINE), undefined)
    })
  }
})

test('odd but whole answers are heard', IN_TIME, async (t) => {
  const bytes = [...FULL].map((byte) => Buffer.from([byte]))
  const bytewise = async (connection, head, framed) => {
    connection.setNoDelay(true)
    for (const byte of Buffer.from(head)) connection.write(Buffer.from([byte]))
    for (const byte of bytes) {
      connection.write(framed(byte))
      await new Promise(setImmediate)
    }
  }
  for (const [what, bridgeUrl] of [
    [
      'chunks of 1 byte',
      await speaking((connection) => bytewise(connection, ok(CHUNKED), chunk).then(() => connection.write(LAST_CHUNK)))
    ],
    [
      'packets of 1 byte',
      await speaking((connection) => bytewise(connection, ok(length(FULL.length)), (byte) => byte))
    ],
    [
      'chunk extensions and trailers',
      await saying(ok(CHUNKED), `${FULL.length.toString(16)};a=b;c="d"\r\n`, FULL, '\r\n0\r\nx-trailer: 1\r\n\r\n')
    ],
    [
      'hints before the answer',
      await saying(
        'HTTP/1.1 100 Continue\r\n\r\n',
        'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n',
        ok(length(FULL.length)),
        FULL
      )
    ],
    ['a second answer behind the first', await saying(`${ok(length(FULL.length))}${FULL}${ok(length(2))}{}`)],
    ['the connection kept open', await saying(ok(length(FULL.length), 'connection: keep-alive'), FULL)],
    ['repeated headers', await saying(ok('x: a', 'x: b', 'set-cookie: a', length(FULL.length)), FULL)]
  ]) {
    await t.test(what, IN_TIME, async () => {
      assert.equal(await bridgeAdmissionRefusal({ bridgeUrl }, undefined, NO_DEADLINE), refusalOf(bridgeUrl))
    })
  }
})

test('the connection does not outlive the answer, whoever would keep it', IN_TIME, async () => {
  let closed
  const bridgeUrl = await urlOf(
    net.createServer((connection) => {
      closed = once(connection, 'close')
      connection.resume()
      connection.write(ok(length(FULL.length), 'connection: keep-alive', 'keep-alive: timeout=600'))
      connection.write(FULL)
    })
  )
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl }), refusalOf(bridgeUrl))
  await closed
})

test('a connection that the bridge takes over is closed', IN_TIME, async () => {
  let closed
  const bridgeUrl = await speaking((connection) => {
    closed = once(connection, 'close')
    connection.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
  })
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl }, undefined, NO_DEADLINE), undefined)
  await closed
})

test('a body of 1 GB is left after 4 MiB', IN_TIME, async () => {
  const piece = Buffer.alloc(1 << 20, ' ')
  let sent = 0
  let closed
  const bridgeUrl = await speaking((connection) => {
    closed = new Promise((resolve) => connection.on('close', resolve))
    connection.write(ok(length(1 << 30)))
    const fill = () => {
      while (!connection.destroyed && sent < 1 << 30) {
        sent += piece.length
        if (!connection.write(piece)) return connection.once('drain', fill)
      }
    }
    fill()
  })
  assert.equal(await bridgeAdmissionRefusal({ bridgeUrl }, undefined, NO_DEADLINE), undefined)
  await closed
  // What the kernel had buffered between the two comes on top.
  assert.ok(sent < 64 << 20, `${sent} bytes were taken`)
})

/** What a process of its own says after `ask`, and what of it was still open then. */
function clientOf(ask) {
  return `
    const { getEventListeners } = require('node:events')
    const { bridgeAdmissionRefusal } = require(process.argv[1])
    const seam = { bridgeUrl: process.argv[2] }
    const warnings = []
    process.on('warning', (warning) => warnings.push(warning.name))
    const open = () => process.getActiveResourcesInfo().filter((kind) => !/Pipe|TTY|Immediate/.test(kind))
    const main = async () => {
      const said = await (${ask})()
      // A destroyed socket is closed a few turns later.
      for (let turn = 0; turn < 1000 && open().length > 0; turn++) await new Promise(setImmediate)
      console.log(JSON.stringify({ ...said, open: open(), warnings }))
    }
    main()`
}

async function client(bridgeUrl, ask) {
  const { stdout, stderr } = await run(clientOf(ask), bridgeUrl)
  assert.equal(stderr, '')
  return JSON.parse(stdout)
}

test('a name server that is slow or fails', IN_TIME, async () => {
  // No name server is asked: the lookup itself is replaced.
  const said = await client('http://bridge.test:1', async () => {
    const dns = require('node:dns')
    dns.lookup = () => {}
    const before = performance.now()
    const answers = [await bridgeAdmissionRefusal(seam, undefined, { timeoutMs: 200 })]
    const waited = performance.now() - before >= 199
    for (const code of ['ENOTFOUND', 'EAI_AGAIN']) {
      dns.lookup = (host, options, callback) => setImmediate(callback, Object.assign(new Error(code), { code }))
      answers.push(await bridgeAdmissionRefusal(seam, undefined, { timeoutMs: 600_000 }))
    }
    return { answers: answers.map(String), waited }
  })
  assert.deepEqual(said, { answers: ['undefined', 'undefined', 'undefined'], waited: true, open: [], warnings: [] })
})

const full = () => urlOf(http.createServer((request, response) => response.end(FULL)))

test('1,000 checks at once leave no handle and no warning', IN_TIME, async () => {
  const bridgeUrl = await full()
  const said = await client(bridgeUrl, async () => {
    const asks = Array.from({ length: 1000 }, () => bridgeAdmissionRefusal(seam, undefined, { timeoutMs: 60_000 }))
    return { answers: [...new Set(await Promise.all(asks))] }
  })
  assert.deepEqual(said, { answers: [refusalOf(bridgeUrl)], open: [], warnings: [] })
})

test('10,000 checks under one signal leave no listener', { timeout: 120_000 }, async () => {
  const bridgeUrl = await full()
  const said = await client(bridgeUrl, async () => {
    const { signal } = new AbortController()
    const answers = new Set()
    let most = 0
    let left = 10_000
    const worker = async () => {
      while (left-- > 0) {
        const answer = bridgeAdmissionRefusal(seam, signal, { timeoutMs: 60_000 })
        most = Math.max(most, getEventListeners(signal, 'abort').length)
        answers.add(await answer)
      }
    }
    await Promise.all(Array.from({ length: 100 }, worker))
    return { answers: [...answers], most, listeners: getEventListeners(signal, 'abort').length }
  })
  assert.deepEqual(said, { answers: [refusalOf(bridgeUrl)], most: 1, listeners: 0, open: [], warnings: [] })
})

test('a storm of aborts: each check rejects once, every connection closes', IN_TIME, async () => {
  const bridgeUrl = await urlOf(
    net.createServer((connection) => {
      connection.on('error', () => {})
      connection.resume()
      connection.write(ok(length(FULL.length)))
      setTimeout(() => connection.destroyed || connection.write(half), 5)
    })
  )
  const said = await client(bridgeUrl, async () => {
    const outcomes = {}
    const count = (name) => (outcomes[name] = (outcomes[name] ?? 0) + 1)
    const one = (at) => {
      const controller = new AbortController()
      const ask = bridgeAdmissionRefusal(seam, controller.signal, { timeoutMs: 60_000 })
      // Before the connection, while it is made, in the headers, in the body; some twice.
      const abort = () => controller.abort()
      if (at % 4 === 0) abort()
      else if (at % 4 === 1) setImmediate(abort)
      else setTimeout(abort, at % 40)
      if (at % 3 === 0) setTimeout(abort, 41)
      return ask.then(count, (error) => count(error.name + ' ' + error.code))
    }
    await Promise.all(Array.from({ length: 400 }, (_, at) => one(at)))
    const shared = new AbortController()
    const asks = Array.from({ length: 200 }, () => bridgeAdmissionRefusal(seam, shared.signal, { timeoutMs: 60_000 }))
    setTimeout(() => shared.abort(), 20)
    await Promise.all(asks.map((ask) => ask.then(count, (error) => count(error.name + ' ' + error.code))))
    return { outcomes }
  })
  assert.deepEqual(said, { outcomes: { 'AbortError ABORT_ERR': 600 }, open: [], warnings: [] })
})

test('an abort that comes with the answer or with the deadline settles once', IN_TIME, async () => {
  const controllers = []
  const bridgeUrl = await urlOf(
    http.createServer((request, response) => {
      response.end(FULL)
      setImmediate(() => controllers.pop()?.abort())
    })
  )
  const slow = await urlOf(net.createServer((connection) => connection.resume()))
  for (let round = 0; round < 100; round++) {
    const controller = new AbortController()
    controllers.push(controller)
    const [answer] = await Promise.allSettled([bridgeAdmissionRefusal({ bridgeUrl }, controller.signal)])
    if (answer.status === 'rejected') assert.equal(answer.reason.name, 'AbortError')
    else assert.equal(answer.value, refusalOf(bridgeUrl))

    const late = new AbortController()
    setTimeout(() => late.abort(), 10)
    const ask = bridgeAdmissionRefusal({ bridgeUrl: slow }, late.signal, { timeoutMs: 10 })
    const [end] = await Promise.allSettled([ask])
    if (end.status === 'rejected') assert.equal(end.reason.name, 'AbortError')
    else assert.equal(end.value, undefined)
    assert.deepEqual(getEventListeners(controller.signal, 'abort'), [])
    assert.deepEqual(getEventListeners(late.signal, 'abort'), [])
  }
})
