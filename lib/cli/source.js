'use strict'

const { existsSync } = require('node:fs')
const { LARGEST_BODY, getHealth } = require('../get-health.js')
const { TIMEOUT_MS, healthUrl, withoutUser } = require('../seam.js')
const { readOperand, reasonOf } = require('./read.js')
const { Usage } = require('./usage.js')

const WITH_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
const HOST_AND_PORT = /^[^/\\]+:\d+(\/|$)/

/**
 * Where a body comes from: the URL of a bridge, a file, or `-` for standard input. Without an operand it is the bridge
 * of the environment.
 *
 * @returns {{ name: string, url?: URL }} `url` is where to ask, for a bridge
 * @throws {Usage}
 */
function sourceOf(operand, { BRIDGE_URL }) {
  if (operand === undefined && BRIDGE_URL) return { name: BRIDGE_URL, url: urlOf(BRIDGE_URL) }
  if (!operand) throw new Usage('no bridge is given: name its URL, or set BRIDGE_URL')
  if (WITH_SCHEME.test(operand)) return { name: operand, url: urlOf(operand) }
  if (HOST_AND_PORT.test(operand) && !existsSync(operand)) {
    throw new Usage(`a URL begins with http:// or https://, got '${withoutUser(operand)}'`)
  }
  return { name: operand }
}

function urlOf(text) {
  // The text is printed as it is, and stands before the path that is asked for.
  if (!/^https?:\/\/[\x21-\x7e]+$/i.test(text) || !URL.canParse(text)) {
    throw new Usage(`the URL must be one of http or https, got '${withoutUser(text)}'`)
  }
  const { username, password, search, hash } = new URL(text)
  if (username || password) {
    throw new Usage('the URL must hold no user or password, which others could see: set BRIDGE_BEARER or --bearer-file')
  }
  if (search || hash) throw new Usage(`the URL must end before any ? or #, got '${withoutUser(text)}'`)
  return healthUrl(text)
}

/**
 * Reads the body of a source. Rejects with an `AbortError` only.
 *
 * @returns `{ status?, body }`, or `{ error }` where none came
 */
async function readSource({ name, url }, { bearer, timeoutMs = TIMEOUT_MS, signal }) {
  if (url) return getHealth({ url, bearer, timeoutMs, signal })
  try {
    return { body: await readOperand(name, LARGEST_BODY) }
  } catch (error) {
    return { error: new Error(reasonOf(error)) }
  }
}

module.exports = { sourceOf, readSource }
