// Callers who check, spawn and hold, against a stand-in bridge over real HTTP: `npm run load -- [--seconds 60]`.
// Prints the table of docs/RELIABILITY.md.

import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { bridgeAdmissionRefusal, classifyFailure } from '../index.js'
import { startBridge } from '../stand-in/bridge.mjs'
import { sendTurn } from '../stand-in/client.mjs'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    callers: { type: 'string', default: '200' },
    slots: { type: 'string', default: '4' },
    'deadline-ms': { type: 'string', default: '2000' }
  }
})
const [seconds, callers, slots] = [values.seconds, values.callers, values.slots].map(Number)
const deadlineMs = Number(values['deadline-ms'])

/** How long a turn holds its slot, and how long a caller who was refused waits before it tries again, in ms. */
const HOLD = [200, 3_000]
const BACK_OFF = [500, 1_500]

const between = ([least, most]) => least + Math.random() * (most - least)

/** How a caller comes to spawn, by name. Each resolves to a function that is called once the turn is on its way. */
const MODES = {
  'without the check': async () => () => {},
  'with the check': async ({ check }) => (await check()) && (() => {}),
  'with the check, one caller at a time': async ({ check, lock, arrived }) => {
    const unlock = await lock()
    if (!(await check())) return void unlock()
    return () => arrived().then(unlock)
  }
}

/** A lock whose holders take turns. */
function createLock() {
  let last = Promise.resolve()
  return async () => {
    const before = last
    let unlock
    last = new Promise((resolve) => (unlock = resolve))
    await before
    return unlock
  }
}

async function measure(mode) {
  const bridge = await startBridge({
    host: { max: slots, waitMs: deadlineMs },
    admission: { waitMs: deadlineMs },
    probeMs: 50
  })
  const told = { checks: 0, held: 0, spawned: 0, ran: 0, waitedOut: 0, atOnce: 0, waitedMs: 0, notCapacity: 0 }
  const end = performance.now() + seconds * 1000
  const tools = {
    lock: createLock(),
    async check() {
      told.checks += 1
      const refusal = await bridgeAdmissionRefusal({ bridgeUrl: bridge.url, model: 'claude/sonnet' })
      if (refusal !== undefined) told.held += 1
      return refusal === undefined
    },
    /** Until one more spawn has asked the executor for a slot, or was refused before it. */
    async arrived() {
      const before = bridge.counts().host.acquires
      for (let waited = 0; waited < 1_000 && bridge.counts().host.acquires === before; waited += 1) await sleep(1)
    }
  }

  async function caller() {
    await sleep(between([0, BACK_OFF[1]]))
    while (performance.now() < end) {
      const onItsWay = await MODES[mode](tools)
      if (onItsWay) {
        const sent = performance.now()
        told.spawned += 1
        const turn = sendTurn(bridge.url, { hold_ms: Math.round(between(HOLD)) })
        onItsWay()
        const answer = await turn
        if (answer.status === 200) {
          told.ran += 1
          continue
        }
        const { capacity, reason } = classifyFailure(answer)
        if (!capacity) told.notCapacity += 1
        if (reason === 'queue-full') told.atOnce += 1
        else {
          told.waitedOut += 1
          told.waitedMs += performance.now() - sent
        }
      }
      await sleep(between(BACK_OFF))
    }
  }

  await Promise.all(Array.from({ length: callers }, caller))
  await bridge.close()
  return told
}

const COLUMNS = {
  checks: ({ checks }) => checks,
  'held back by the check': ({ held }) => held,
  'turns sent': ({ spawned }) => spawned,
  ran: ({ ran }) => ran,
  'refused at once, the queue full': ({ atOnce }) => atOnce,
  'waited out a deadline and were refused': ({ waitedOut }) => waitedOut,
  'time lost in such waits': ({ waitedMs }) => `${Math.round(waitedMs / 1000)} s`,
  'refusals not classified capacity': ({ notCapacity }) => notCapacity
}

console.log(
  `${slots} slots, ${callers} callers, ${seconds} s; a turn holds ${HOLD.join(' to ')} ms, ` +
    `a deadline is ${deadlineMs} ms, a caller who was refused tries again after ${BACK_OFF.join(' to ')} ms.\n`
)
const results = []
for (const mode of Object.keys(MODES)) results.push([mode, await measure(mode)])
console.log(`| | ${results.map(([mode]) => mode).join(' | ')} |`)
console.log(`| --- |${' ---: |'.repeat(results.length)}`)
for (const [name, cell] of Object.entries(COLUMNS)) {
  console.log(`| ${name} | ${results.map(([, told]) => cell(told).toLocaleString('en')).join(' | ')} |`)
}
