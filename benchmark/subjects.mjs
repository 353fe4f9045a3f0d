// One call of every kind, for the measures of memory and for the classification.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { bridgeAdmissionRefusal, bridgeCapacity, classifyFailure } from '../index.js'
import { healthText, KB } from './bodies.mjs'

const captured = (name) => readFileSync(new URL(`../__test__/captures/${name}`, import.meta.url), 'utf8')

const admitted = healthText({ size: 2 * KB })
const refused = healthText({ size: 2 * KB, refused: true })
const wide = healthText({ size: 2 * KB, script: 'wide' })
const [admittedBytes, refusedBytes] = [admitted, refused].map((text) => Buffer.from(text))
const [admittedObject, refusedObject] = [admitted, refused].map((text) => JSON.parse(text))

/** As the runtime throws it: of the body it keeps the first 300 characters. */
const runtimeError = Object.assign(
  new Error(`bridgeExecutor: bridge 429: ${captured('refuse-scoped-429-reserved0.json').slice(0, 300)}`),
  { name: 'BackendTransportError', status: 429 }
)
const frame = captured('refuse-executor-stream.sse')
const page = `<html>${'the gateway had no answer, try again later. '.repeat((KB * KB) / 44)}</html>`

export const FAILURES = [
  { name: 'runtime error, 300 chars', failure: runtimeError, kind: 'capacity' },
  { name: 'SSE frame', failure: frame, kind: 'capacity' },
  { name: '1 MB text, no JSON', failure: page, kind: 'unknown' },
  { name: '1 MB body, JSON', failure: healthText({ size: KB * KB }), kind: 'unknown' }
]

const thrown = (call) => {
  try {
    call()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

/** `share` of the calls is made where one takes so long that all would take hours. */
export const SUBJECTS = {
  'bytes, admit': { call: () => bridgeAdmissionRefusal(admittedBytes) },
  'bytes, refuse': { call: () => bridgeAdmissionRefusal(refusedBytes) },
  'text, admit': { call: () => bridgeAdmissionRefusal(admitted) },
  'text, refuse': { call: () => bridgeAdmissionRefusal(refused) },
  'text beyond U+00FF, admit': { call: () => bridgeAdmissionRefusal(wide) },
  'object, admit': { call: () => bridgeAdmissionRefusal(admittedObject) },
  'object, refuse': { call: () => bridgeAdmissionRefusal(refusedObject) },
  'bridgeCapacity, bytes': { call: () => bridgeCapacity(refusedBytes) },
  'bridgeCapacity, text': { call: () => bridgeCapacity(refused) },
  'bridgeCapacity, object': { call: () => bridgeCapacity(refusedObject) },
  'misuse, TypeError': { call: () => thrown(() => bridgeAdmissionRefusal(7)) },
  'misuse, RangeError': { call: () => thrown(() => bridgeAdmissionRefusal(admittedObject, 0)) },
  'classifyFailure, error': { call: () => classifyFailure(runtimeError) },
  'classifyFailure, text': { call: () => classifyFailure(frame) },
  'seam, misuse': { call: () => bridgeAdmissionRefusal({ bridgeUrl: 'ftp://bridge' }).catch(() => {}), later: true },
  'seam, over HTTP': { ...overHttp(), later: true, share: 1 / 1000 }
}

function overHttp() {
  let seam
  const server = createServer((request, response) => response.end(refused))
  return {
    open: () =>
      new Promise((resolve) =>
        server.listen(0, '127.0.0.1', () => {
          seam = { bridgeUrl: `http://127.0.0.1:${server.address().port}` }
          resolve()
        })
      ),
    call: () => bridgeAdmissionRefusal(seam),
    close: () => server.close()
  }
}
