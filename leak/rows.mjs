// Every kind of call, for the leak gate: `share` is how many calls stand for one, where it takes so long that all would
// take hours. Before each group stands a control, in which nothing of the package runs.

import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { bridgeAdmissionRefusal, bridgeCapacity, classifyFailure } from '../index.js'

const captured = (name) => readFileSync(new URL(`../__test__/captures/${name}`, import.meta.url), 'utf8')

/** As many calls stand for one over HTTP, which takes 200 times as long as others. */
const OVER_HTTP = 100

const full = captured('health-host-full-queued-1.json')
const idle = captured('health-host-idle.json')
const beyondAscii = full.replace('{', '{"note":"満員 – voll",')
const shared = new Uint8Array(new SharedArrayBuffer(full.length))
shared.set(Buffer.from(full))
const [fullBytes, idleBytes] = [full, idle].map((text) => Buffer.from(text))
const [fullObject, idleObject] = [full, idle].map((text) => JSON.parse(text))
const intended = { slots: 2, lane: 'reserved', executor: 'host' }

const refusal = captured('refuse-executor-429-nonstream.json')
const refusalBytes = Buffer.from(refusal)
const refusalObject = JSON.parse(refusal)
const answer = { status: 429, headers: new Headers({ 'retry-after': '2' }), body: refusal }
const frame = captured('refuse-executor-stream.sse')
const cut = `bridge 429: ${captured('refuse-scoped-429-reserved0.json').slice(0, 300)}`
const error = Object.assign(new Error(cut, { cause: new Error('fetch failed') }), { status: 429 })

const { signal } = new AbortController()
const aborted = AbortSignal.abort()
const abortedLater = () => {
  const controller = new AbortController()
  setImmediate(() => controller.abort())
  return controller.signal
}

/** That a call does what its row says is seen every time: one that fails early would keep less. */
const was = (name, error) => {
  if (error?.name !== name) throw new Error(`not a ${name}`, { cause: error })
}
const throws = (name, call) => () => {
  let thrown
  try {
    call()
  } catch (error) {
    thrown = error
  }
  was(name, thrown)
}
const later = (call, share = 1) => ({ call, share, isLater: true })
const rejects = (name, call, share) =>
  later(
    () =>
      call().then(
        () => was(name),
        (error) => was(name, error)
      ),
    share
  )
const refuses = (call) =>
  later(async () => {
    if ((await call()) === undefined) throw new Error('the bridge was not heard')
  }, OVER_HTTP)

const plainGet = (url) =>
  new Promise((resolve, reject) =>
    get(url, { agent: new Agent({ keepAlive: false }) }, (response) => resolve(buffer(response))).on('error', reject)
  )

export const rowsOf = (bridgeUrl) => {
  const seam = { bridgeUrl, bridgeBearer: 'a-bearer', model: 'claude/opus' }
  return {
    'control: JSON.parse': () => JSON.parse(full),
    'text, admit': () => bridgeAdmissionRefusal(idle),
    'text, refuse': () => bridgeAdmissionRefusal(full),
    'text beyond ASCII, refuse': () => bridgeAdmissionRefusal(beyondAscii),
    'text, no JSON': () => bridgeAdmissionRefusal('{"executor":'),
    'bytes, admit': () => bridgeAdmissionRefusal(idleBytes),
    'bytes, refuse': () => bridgeAdmissionRefusal(fullBytes),
    'shared bytes, refuse': () => bridgeAdmissionRefusal(shared),
    'object, admit': () => bridgeAdmissionRefusal(idleObject),
    'object, refuse': () => bridgeAdmissionRefusal(fullObject),
    'object and an intent, refuse': () => bridgeAdmissionRefusal(fullObject, intended),
    'bridgeCapacity, text': () => bridgeCapacity(full),
    'bridgeCapacity, bytes': () => bridgeCapacity(fullBytes),
    'bridgeCapacity, object': () => bridgeCapacity(fullObject),
    'classifyFailure, error with a cause': () => classifyFailure(error),
    'classifyFailure, text': () => classifyFailure('fetch failed: connect ECONNREFUSED 127.0.0.1:8080'),
    'classifyFailure, bytes': () => classifyFailure(refusalBytes),
    'classifyFailure, SSE frame': () => classifyFailure(frame),
    'classifyFailure, HTTP answer': () => classifyFailure(answer),
    'classifyFailure, parsed body': () => classifyFailure(refusalObject),
    'classifyFailure, cut body': () => classifyFailure(cut),
    'control: a TypeError of JavaScript': throws('TypeError', () => {
      throw Object.assign(new TypeError('health is 7'), { code: 'ERR_INVALID_ARG_TYPE' })
    }),
    'misuse, TypeError': throws('TypeError', () => bridgeAdmissionRefusal(7)),
    'misuse, TypeError of the intent': throws('TypeError', () => bridgeAdmissionRefusal(fullObject, { lane: 'slow' })),
    'misuse, RangeError': throws('RangeError', () => bridgeAdmissionRefusal(fullObject, 0)),
    'misuse, bridgeCapacity of a seam': throws('TypeError', () => bridgeCapacity(seam)),
    'seam, misuse of the URL': rejects('TypeError', () =>
      bridgeAdmissionRefusal({ ...seam, bridgeUrl: 'ftp://bridge' })
    ),
    'seam, misuse of the slots': rejects('RangeError', () => bridgeAdmissionRefusal(seam, signal, { intended: 0 })),
    'seam, aborted before': rejects('AbortError', () => bridgeAdmissionRefusal(seam, aborted)),
    'seam, no request': later(() => bridgeAdmissionRefusal({ ...seam, model: 'sandbox/x' }, signal)),
    'control: a GET over HTTP': later(() => plainGet(`${bridgeUrl}/health`), OVER_HTTP),
    'seam over HTTP': refuses(() => bridgeAdmissionRefusal(seam)),
    'seam over HTTP, one signal for all': refuses(() => bridgeAdmissionRefusal(seam, signal)),
    'seam over HTTP, a signal each': refuses(() => bridgeAdmissionRefusal(seam, new AbortController().signal)),
    'seam over HTTP, aborted meanwhile': rejects(
      'AbortError',
      () => bridgeAdmissionRefusal(seam, abortedLater()),
      OVER_HTTP
    ),
    'seam over HTTP, nobody there': later(() => bridgeAdmissionRefusal({ bridgeUrl: 'http://127.0.0.1:1' }), OVER_HTTP)
  }
}
