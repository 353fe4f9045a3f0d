// The bearer is searched for in all that the package gives back, throws and writes.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import http from 'node:http'
import net from 'node:net'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { bridgeAdmissionRefusal, classifyFailure } from '../index.js'
import { bytesOf } from './cases.mjs'
import { urlOf } from './servers.mjs'

const FACE = fileURLToPath(new URL('../index.js', import.meta.url))
const FULL = bytesOf('captures/health-host-full-queued-1.json')

/** Bearers, each with a part by which it is known in whatever form it is written. */
const BEARERS = [
  ['plain', 'kennwort7'],
  [`it's "kennwort7" \`\\ `, 'kennwort7'],
  [`\\x41\\kennwort7\\`, 'kennwort7'],
  [`kennwort7${'x'.repeat(20_000)}`, 'kennwort7'],
  ['kennwort7 – ünï', 'kennwort7']
]

/** All that can be reached from a value: own and inherited properties, entries, causes. */
function reachable(value) {
  const seen = new Set()
  const texts = []
  const visit = (value) => {
    if (typeof value === 'string' || typeof value === 'symbol') return texts.push(String(value))
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return
    seen.add(value)
    if (ArrayBuffer.isView(value)) texts.push(Buffer.from(value.buffer).toString('latin1'))
    if (value instanceof Map || value instanceof Set) [...value].forEach(visit)
    for (const key of Reflect.ownKeys(value)) {
      visit(key)
      try {
        visit(value[key])
      } catch {}
    }
    visit(Object.getPrototypeOf(value))
  }
  visit(value)
  return texts
}

function assertHidden(value, part, what) {
  const shown = [inspect(value, { depth: Infinity, showHidden: true, maxStringLength: Infinity }), ...reachable(value)]
  for (const text of shown) assert.ok(!text.includes(part), `${what}: ${text.slice(0, 300)}`)
}

test('no error of misuse shows it, however it is quoted', async () => {
  for (const [bearer, part] of BEARERS) {
    const seam = { bridgeUrl: 'http://127.0.0.1:1', bridgeBearer: bearer }
    for (const [what, ...args] of [
      ['in the URL', { ...seam, bridgeUrl: bearer }],
      ['in the URL, behind every quote', { ...seam, bridgeUrl: `'"\`${bearer}` }],
      ['in the URL, twice', { ...seam, bridgeUrl: `${bearer} and ${bearer}` }],
      ['in the URL, behind a long text', { ...seam, bridgeUrl: `${'y'.repeat(9_990)}${bearer}` }],
      ['as the signal', seam, bearer],
      ['in the signal, behind every quote', seam, { note: `'"\`${bearer}` }],
      ['as a key', seam, { [`'"\`${bearer}`]: 1 }],
      ['in bytes', seam, Buffer.from(bearer)],
      ['in a Map', seam, new Map([[bearer, { bearer }]])],
      ['in an error', seam, new Error(bearer)],
      ['as the options', seam, undefined, bearer],
      ['as the deadline', seam, undefined, { timeoutMs: `'"${bearer}` }],
      ['as the slots', seam, undefined, { intended: { slots: [bearer, `"'\`${bearer}`] } }],
      [
        'in the lane, over and over',
        seam,
        undefined,
        { intended: { slots: 1, lane: bearer.repeat((2 << 20) / bearer.length) } }
      ],
      ['as the lane', seam, undefined, { intended: { slots: 1, lane: `'"\`${bearer}` } }]
    ]) {
      const error = await bridgeAdmissionRefusal(...args).then(
        () => assert.fail(what),
        (error) => error
      )
      assertHidden(error, part, what)
    }
  }
  const hidden = { bridgeUrl: 'http://127.0.0.1:1', bridgeBearer: 'kennwort7\u0000' }
  assertHidden(await bridgeAdmissionRefusal(hidden).catch((error) => error), 'kennwort7', 'as no header can carry it')
})

test('no refusal, AbortError or classification of one shows it', async () => {
  // A bridge that says it back in every place.
  const echo = await urlOf(
    http.createServer((request, response) => {
      const { authorization } = request.headers
      const body = { ...JSON.parse(FULL), status: authorization, [authorization]: authorization }
      response.writeHead(200, authorization.replace(/[^\w ]/g, ''), { 'x-echo': encodeURIComponent(authorization) })
      response.end(JSON.stringify(body))
    })
  )
  const silent = await urlOf(net.createServer((connection) => connection.resume()))
  const broken = await urlOf(net.createServer((connection) => connection.end('noise')))
  for (const [bearer, part] of BEARERS.filter(([bearer]) => bearer.length < 16_000 && /^[\x20-\xff]*$/.test(bearer))) {
    const ask = (bridgeUrl, ...rest) => bridgeAdmissionRefusal({ bridgeUrl, bridgeBearer: bearer }, ...rest)
    const refusal = await ask(echo)
    assert.match(refusal, /executor is full: in_flight 4 of max 4/)
    assertHidden(refusal, part, 'refusal')
    assert.equal(await ask(broken), undefined)
    assert.equal(await ask(silent, undefined, { timeoutMs: 50 }), undefined)
    const error = await ask(silent, AbortSignal.timeout(50)).catch((error) => error)
    assert.equal(error.name, 'AbortError')
    assertHidden(error, part, 'AbortError')
    assertHidden(classifyFailure(error), part, 'classification')
  }
})

test('nothing that a process writes shows it, not even where it dies of misuse', async () => {
  const bridgeUrl = await urlOf(http.createServer((request, response) => response.end(FULL)))
  const script = `
    const { bridgeAdmissionRefusal } = require(${JSON.stringify(FACE)})
    const [bridgeUrl, bridgeBearer] = process.argv.slice(1)
    const main = async () => {
      console.log(await bridgeAdmissionRefusal({ bridgeUrl, bridgeBearer }))
      await bridgeAdmissionRefusal({ bridgeUrl, bridgeBearer }, bridgeBearer)
    }
    main()`
  const args = ['-e', script, bridgeUrl, `'"kennwort7\``]
  const ended = await new Promise((resolve) =>
    execFile(process.execPath, args, { timeout: 30_000 }, (error, stdout, stderr) =>
      resolve({ code: error?.code, stdout, stderr })
    )
  )
  assert.equal(ended.code, 1)
  assert.match(ended.stdout, /executor is full/)
  assert.match(ended.stderr, /ERR_INVALID_ARG_TYPE/)
  assert.ok(!ended.stdout.includes('kennwort7') && !ended.stderr.includes('kennwort7'), ended.stderr)
})
