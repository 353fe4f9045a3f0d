// The addon in many threads at once, ended in the middle of a call.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { bytesOf } from './cases.mjs'

const FACE = fileURLToPath(new URL('../index.js', import.meta.url))
const FULL = bytesOf('captures/health-host-full-queued-1.json')
const WORKERS = 50

test('50 workers at once each get their own answers', { timeout: 120_000 }, async () => {
  const script = `
    const { parentPort, workerData } = require('node:worker_threads')
    const { bridgeAdmissionRefusal, bridgeCapacity, classifyFailure } = require(workerData.face)
    const answers = new Set()
    for (let call = 0; call < 200; call++) {
      const health = { executor: { in_flight: workerData.own, max: workerData.own } }
      const text = JSON.stringify(health)
      for (const form of [health, text, Buffer.from(text)]) answers.add(bridgeAdmissionRefusal(form))
      answers.add(bridgeCapacity(text).free).add(classifyFailure('bridge 429: ' + text).status)
    }
    parentPort.postMessage([...answers])`
  const answers = Array.from({ length: WORKERS }, (_, own) => {
    const worker = new Worker(script, { eval: true, workerData: { face: FACE, own: own + 1 } })
    return new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject))
  })
  for (const [own, answer] of (await Promise.all(answers)).entries()) {
    const refusal = `bridge executor is full: in_flight ${own + 1} of max ${own + 1}`
    assert.deepEqual(answer, [refusal, 0, 429])
  }
})

test('50 workers ended in the middle of a call, twice, and the process lives on', { timeout: 120_000 }, async () => {
  // In a process of its own: a crash of the addon would end it.
  const script = `
    const { Worker } = require('node:worker_threads')
    const face = process.argv[1]
    const text = process.argv[2]
    const work = \`
      const { parentPort, workerData } = require('node:worker_threads')
      const { bridgeAdmissionRefusal, bridgeCapacity, classifyFailure } = require(workerData.face)
      // Large, so that the end comes inside the addon.
      const large = workerData.text.slice(0, -1) + ',"x":"' + 'y'.repeat(1 << 20) + '"}'
      const bytes = Buffer.from(large)
      const error = { body: large, cause: new Error(large) }
      bridgeAdmissionRefusal({ bridgeUrl: 'http://127.0.0.1:1' })
      parentPort.postMessage('started')
      for (;;) {
        bridgeAdmissionRefusal(large)
        bridgeCapacity(bytes)
        classifyFailure(error)
        try { bridgeAdmissionRefusal(bytes, 0) } catch {}
      }\`
    const round = () => Promise.all(Array.from({ length: ${WORKERS} }, async (_, at) => {
      const worker = new Worker(work, { eval: true, workerData: { face, text } })
      const ended = new Promise((resolve, reject) => worker.on('exit', resolve).on('error', reject))
      await new Promise((resolve) => worker.once('message', resolve))
      await new Promise((resolve) => setTimeout(resolve, at))
      await worker.terminate()
      return ended
    }))
    const main = async () => {
      await round()
      await round()
      const { bridgeAdmissionRefusal } = require(face)
      console.log(bridgeAdmissionRefusal(text))
    }
    main()`
  const args = ['-e', script, FACE, FULL]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { timeout: 110_000 })
  assert.equal(stderr, '')
  assert.equal(stdout, 'bridge executor is full: in_flight 4 of max 4 (queued 1, acquire deadline 1500 ms)\n')
})

test('memory that another thread writes to', { timeout: 120_000 }, async () => {
  // A text of half as many characters and back: a decoder that has counted them before writes beyond its own.
  const script = `
    const { Worker } = require('node:worker_threads')
    const { bridgeAdmissionRefusal, bridgeCapacity, classifyFailure } = require(process.argv[1])
    const bytes = new Uint8Array(new SharedArrayBuffer(1 << 16))
    const writer = \`
      const { parentPort, workerData } = require('node:worker_threads')
      const wide = Buffer.alloc(workerData.length, 'é')
      parentPort.postMessage('started')
      for (;;) workerData.fill(65).set(wide)\`
    const worker = new Worker(writer, { eval: true, workerData: bytes })
    worker.once('message', async () => {
      const answers = new Set()
      for (let call = 0; call < 3000; call++) {
        answers.add(classifyFailure(bytes).kind).add(bridgeAdmissionRefusal(bytes)).add(bridgeCapacity(bytes).free)
      }
      await worker.terminate()
      process.stdout.write([...answers].join())
    })`
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, FACE])
  assert.equal(stdout, 'unknown,,')
})
