'use strict'

const { throwIfAborted, onAbort } = require('./abort.js')

const LARGEST_BODY = 4 << 20

/**
 * One `GET` within one total deadline: connect, headers and body. No redirect is followed, no proxy used, no connection
 * kept. Resolves to `{ status, body }`, whatever the status, or to `{ error }` where no whole body came. Rejects with
 * an `AbortError` only.
 */
function getHealth({ url, bearer, timeoutMs, signal }) {
  return new Promise((resolve, reject) => {
    throwIfAborted(signal)
    // Loaded here, since most processes that load the package ask over a body of their own.
    const { Agent, request } = url.protocol === 'https:' ? require('node:https') : require('node:http')
    const headers = { accept: 'application/json', 'accept-encoding': 'identity' }
    if (bearer) headers.authorization = `Bearer ${bearer}`

    let call
    let timer
    let settled = false
    function settle(how, outcome) {
      if (settled) return
      settled = true
      how(outcome)
      clearTimeout(timer)
      call?.destroy()
      leave()
    }
    const fail = (error) => settle(resolve, { error })
    // First, while nothing is open: a signal of another library may throw.
    const leave = onAbort(signal, (error) => settle(reject, error))
    try {
      // An agent of its own knows no proxy, but in Deno, where it takes that of the environment unless told otherwise.
      call = request(url, { agent: new Agent({ keepAlive: false, proxyEnv: {} }), headers })
    } catch (error) {
      // Such as credentials in the URL that cannot be decoded.
      return fail(error)
    }
    timer = setTimeout(() => fail(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
    call.on('error', fail)
    call.on('upgrade', (response, socket) => {
      // It is the listener's from here on: the call does not close it.
      socket.destroy()
      fail(new Error('the bridge changed the protocol'))
    })
    call.on('response', (response) => {
      const chunks = []
      let length = 0
      response.on('data', (chunk) => {
        chunks.push(chunk)
        length += chunk.length
        if (length > LARGEST_BODY) fail(new Error(`the body is larger than ${LARGEST_BODY} bytes`))
      })
      response.on('error', fail)
      response.on('end', () => settle(resolve, { status: response.statusCode, body: Buffer.concat(chunks) }))
      response.on('close', () => fail(new Error('the connection closed before the body was whole')))
    })
    call.end()
  })
}

module.exports = { LARGEST_BODY, getHealth }
