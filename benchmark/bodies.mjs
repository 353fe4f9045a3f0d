// The bodies that are read: captured ones, with their backends exchanged for as many as make the size.

import { readFileSync } from 'node:fs'

const captured = (name) =>
  JSON.parse(readFileSync(new URL(`../__test__/captures/${name}.json`, import.meta.url), 'utf8'))

export const KB = 1024

const ADMITTED = captured('health-host-inflight-1')
const REFUSED = captured('health-host-full-queued-1')

/** What a backend may say of itself, by the widest character in it. */
const DETAILS = {
  ascii: 'probe exited 3: not signed in, run the login command again',
  latin1: 'sonde terminée 3 : non authentifié, répéter la connexion',
  wide: 'プローブ終了 3: 認証されていません。再度ログインしてください ✗'
}

/**
 * The text of a body of about `size` bytes, refused or admitted. `script` names one of the details. `few`: the size is
 * in four long strings instead of in many backends.
 */
export function healthText({ size, refused = false, script = 'ascii', few = false }) {
  const health = structuredClone(refused ? REFUSED : ADMITTED)
  if (size < 1024) {
    delete health.memory
    delete health.executor.scoped_host
  }
  health.backends = []
  const left = size - Buffer.byteLength(JSON.stringify(health))
  if (few) {
    const detail = DETAILS[script].repeat(Math.round(left / 4 / Buffer.byteLength(DETAILS[script])))
    health.backends = ['claude', 'codex', 'gemini', 'opencode'].map((name) => ({ name, state: 'error', detail }))
  } else {
    const each = Buffer.byteLength(JSON.stringify([0, 1].map((number) => backend(number, script)))) / 2
    const count = Math.max(1, Math.round(left / each))
    health.backends = Array.from({ length: count }, (_, number) => backend(number, script))
  }
  return JSON.stringify(health)
}

/** Every other backend is ready, unless what they say is to be in a script of its own: then none is. */
function backend(number, script) {
  const isReady = script === 'ascii' && number % 2 === 0
  const of = isReady ? { state: 'ready', version: '1.18.9' } : { state: 'error', detail: DETAILS[script] }
  return { name: `backend-${number}`, ...of, probed_at: '2026-08-22T17:39:07.852Z', cached: number % 3 > 0 }
}
