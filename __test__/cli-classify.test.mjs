// The verb classify: whose failure a text was, as people and scripts read it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { devNull } from 'node:os'
import { test } from 'node:test'
import { classifyFailure } from '../index.js'
import { CAPTURES, run, runInTerminal, unix } from './cli/run.mjs'

const SATURATED = 'refuse-executor-stream.sse'
const LOG_LINE =
  'ERROR worker 3: bridgeExecutor: bridge 429: {"error":{"type":"executor_saturated","capacity":true,' +
  '"retry_after_ms":5000,"executor":"host","in_flight":4,"max":4,"queued":1,"deadline_ms":60000,' +
  '"message":"host-executor: acquire timeout"}}\n'

test('exit 0 for capacity, 1 for all else', async () => {
  const cases = [
    [SATURATED, 0],
    ['refuse-admission-runid-reattach-stream.sse', 0],
    ['fail-provider-rate-limit-stream.sse', 1],
    ['fail-provider-quotes-bridge-prose-nonstream.json', 1],
    ['err-409-session-binding.json', 1],
    [devNull, 1]
  ]
  for (const [file, wanted] of cases) {
    const { code, stderr } = await run(['classify', file])
    assert.deepEqual([code, stderr], [wanted, ''], file)
    assert.equal((await run(['classify', file, '-q'])).stdout, '', file)
  }
})

test('for people', async () => {
  const { code, stdout } = await run(['classify', '-'], { input: LOG_LINE })
  const lines = [
    'capacity (acquire-timeout), safe to retry under a new run id after 5000 ms',
    'capacity refusal, not a provider failure: host executor full (4 of 4 in flight, 1 queued) ' +
      'after waiting 60000 ms; nothing was dispatched to the provider'
  ]
  assert.deepEqual([code, stdout], [0, `${lines.join('\n')}\n`])
  const input = '{"error":{"type":"upstream","message":"x exited 1:\\n\\u001b[31mred"}}'
  const foreign = await run(['classify'], { input })
  assert.equal(foreign.stdout, 'provider, not known to be safe to retry\nx exited 1: \ufffd[31mred\n')
})

test('--json is what classifyFailure returns', async () => {
  for (const file of [SATURATED, 'fail-provider-timeout-stream.sse', 'err-401.json']) {
    const { stdout } = await run(['classify', file, '--json'])
    assert.deepEqual(JSON.parse(stdout), classifyFailure(readFileSync(`${CAPTURES}/${file}`)), file)
  }
})

test('--json escapes what terminals obey', async () => {
  const message = 'a\x1b[31m\x7f\x9b31m\u00e9'
  const input = JSON.stringify({ error: { type: 'upstream', message } })
  const { stdout } = await run(['classify', '--json'], { input })
  assert.doesNotMatch(stdout, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/)
  assert.equal(JSON.parse(stdout).message, message)
})

test('the bearer is hidden where a failure repeats it', async () => {
  const input = '{"error":{"type":"upstream","message":"sent authorization: Bearer bearer-of-the-test"}}'
  const env = { BRIDGE_BEARER: 'bearer-of-the-test' }
  for (const args of [['classify'], ['classify', '--json']]) {
    const { stdout } = await run(args, { env, input })
    assert.match(stdout, /sent authorization: Bearer <bearer>/)
    assert.doesNotMatch(stdout, /bearer-of-the-test/)
  }
})

test('exit 69: what cannot be read', unix, async () => {
  for (const [file, reason] of [
    ['absent', 'no such file'],
    ['/dev/zero', 'it is larger than 4194304 bytes']
  ]) {
    const { code, stdout, stderr } = await run(['classify', file])
    assert.deepEqual([code, stdout, stderr], [69, '', `bridge-admission: ${file} cannot be read: ${reason}\n`])
  }
})

test('exit 64: nothing is given', unix, async () => {
  const { code, output } = await runInTerminal(['classify'], { columns: 100 })
  const text = 'bridge-admission: no failure is given: name its file, or pipe it in (--help tells more)\r\n'
  assert.deepEqual([code, output], [64, text])
})
