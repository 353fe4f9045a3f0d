// A stronger sign wins wherever it stands, and no form of the same failure says more than another.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { classifyFailure } from '../index.js'

const REFUSED = '{"error":{"type":"executor_saturated","capacity":true}}'
const PROSE = 'host-executor: acquire timeout after 60000ms (in_flight=4/4, queued=1)'
const error = (message, fields) => Object.assign(new Error(message), fields)

function expect(rows) {
  for (const [failure, kind, retrySafe] of rows) {
    const found = classifyFailure(failure)
    assert.deepEqual([found.kind, found.retrySafe], [kind, retrySafe], inspect(failure))
  }
}

test('a code of the network or of a cancellation does not outweigh the message', () => {
  expect([
    [
      error('bridgeExecutor: bridge 502: {"error":{"type":"upstream","message":"x"}}', { code: 'ECONNREFUSED' }),
      'provider',
      false
    ],
    [error('bridgeExecutor: bridge stream error: opencode exited 1: x', { code: 'ECONNREFUSED' }), 'provider', false],
    [error(PROSE, { code: 'ECONNRESET' }), 'capacity', true],
    [error('bridge executor is full: in_flight 4 of max 4', { code: 'ABORT_ERR' }), 'capacity', true],
    [error(`bridgeExecutor: bridge 429: ${REFUSED}`, { code: 'transport_error' }), 'capacity', true],
    [error(`bridgeExecutor: bridge 429: ${REFUSED}`, { upstreamCode: 'upstream' }), 'provider', false]
  ])
})

test('an object of JavaScript may have a type of its own', () => {
  expect([
    [new MessageEvent('message', { data: REFUSED }), 'capacity', true],
    [{ type: 'basic', status: 429, headers: {}, body: REFUSED }, 'capacity', true],
    [error('x', { type: 'BackendError', body: REFUSED }), 'capacity', true],
    [error('bridge 502: {"error":{"type":"upstream"}}', { type: 'weird' }), 'provider', false],
    // Its prose is not the bridge's, nor is what it says in somebody else's words.
    [{ type: 'delta', data: PROSE }, 'unknown', false],
    [{ type: 'tool_result', error: JSON.parse(REFUSED).error }, 'unknown', false],
    [{ type: 'task_failed', error: error('x', { body: REFUSED }) }, 'capacity', true]
  ])
})

test('a parsed body and its text are one', () => {
  for (const [body, kind, retrySafe] of [
    [{ error: { code: 'ECONNREFUSED', message: 'x' } }, 'bridge', false],
    [{ error: { message: 'opencode exited 1: boom' } }, 'provider', false],
    [{ event: { type: 'status', status: 'failed', detail: 'opencode exited 1: boom' } }, 'provider', false],
    [{ error: { type: 'executor_saturated', capacity: true, errors: ['x'] } }, 'capacity', true],
    [{ error: { type: 'tool_error', message: PROSE } }, 'bridge', false]
  ]) {
    const text = JSON.stringify(body)
    expect([
      [{ status: 502, body }, kind, retrySafe],
      [{ status: 502, body: text }, kind, retrySafe],
      [{ status: 502, body: Buffer.from(text) }, kind, retrySafe],
      [error('x', { status: 502, response: { data: body } }), kind, retrySafe],
      [error(`bridge 502: ${text}`), kind, retrySafe]
    ])
  }
})

test('a connection is only as unmade as the least sure of its codes', () => {
  const reset = error('read ECONNRESET', { code: 'ECONNRESET' })
  const refused = error('connect ECONNREFUSED', { code: 'ECONNREFUSED' })
  expect([
    [error('x', { code: 'ECONNREFUSED', cause: reset }), 'bridge', false],
    [error('x', { code: 'ECONNRESET', cause: refused }), 'bridge', false],
    [error('x', { code: 'ECONNREFUSED', cause: refused }), 'bridge', true]
  ])
})

test('an admission refusal that was cut before its reason', () => {
  const cut = (message) => `{"error":{"message":"${message}","type":"admission_rejected","pad":"xxx`
  expect([
    [cut('no room'), 'capacity', true],
    [cut('cli-bridge admission aborted while queued'), 'aborted', false],
    // Here it is not known yet who gave up.
    ['{"error":{"capacity":true,"type":"admission_rejected","pad":"xxx', 'unknown', false],
    ['{"error":{"capacity":true,', 'unknown', false]
  ])
})

test('signatures end where their words end', () => {
  expect([
    ['cli-bridge is saturated: bulk admission queue is fullish', 'unknown', false],
    ['cli-bridge is saturated: bulk admission queue is full', 'capacity', true],
    ['host-executor: queue fuller', 'unknown', false]
  ])
})

test('a list that is none', () => {
  const hostile = [new Proxy([], { get: () => Symbol('length') }), new Proxy([], { get: () => 1n }), { length: 3 }]
  for (const errors of hostile) expect([[{ errors, ...JSON.parse(REFUSED) }, 'capacity', true]])
})

test('what is reported is named', () => {
  // No executor without its name.
  assert.equal(classifyFailure({ capacity: true, in_flight: 4, max: 4 }).executor, undefined)
  for (const [failure, code] of [
    [new Response('x', { status: 429 }), undefined],
    [new MessageEvent('message', { data: 'x' }), undefined],
    [{ type: 'status', status: 'running' }, undefined],
    [{ error: { type: 'a_new_word', message: 'x' } }, 'a_new_word'],
    [{ error: { type: 'server_error', message: 'x' } }, 'server_error'],
    [error('x', { code: 'E_OWN' }), 'E_OWN']
  ]) {
    assert.equal(classifyFailure(failure).code, code)
  }
})
