import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'

/**
 * One request on a connection of its own, which ends with it.
 *
 * @param {string} url
 * @param {{ method?: string, headers?: object, body?: string, signal?: AbortSignal }} [init]
 * @returns {Promise<{ status: number, headers: object, body: string }>}
 */
export async function send(url, { method = 'GET', headers, body, signal } = {}) {
  const req = request(url, { method, headers, signal, agent: false })
  req.end(body)
  const [res] = await once(req, 'response')
  return { status: res.statusCode, headers: res.headers, body: await text(res) }
}

/**
 * Sends a turn to a stand-in bridge and waits for its answer.
 *
 * @param {string} url of the bridge
 * @param {object} [fields] of the body, over a model of `claude/sonnet` and one message
 * @param {{ headers?: object, signal?: AbortSignal }} [init]
 */
export function sendTurn(url, fields, init) {
  const body = JSON.stringify({ model: 'claude/sonnet', messages: [{ role: 'user', content: 'hello' }], ...fields })
  return send(`${url}/v1/chat/completions`, { method: 'POST', body, ...init })
}
