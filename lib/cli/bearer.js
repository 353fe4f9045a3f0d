'use strict'

const { createReadStream } = require('node:fs')
const { collect, reasonOf } = require('./read.js')
const { keepSecret } = require('./say.js')
const { Usage } = require('./usage.js')

const LARGEST_BEARER = 64 << 10

/** The bearer of the file, else of the environment; `undefined` where there is none. No error shows it. */
async function bearerOf(file, env) {
  const bearer = file === undefined ? env.BRIDGE_BEARER : await readBearer(file)
  if (!bearer) return undefined
  keepSecret(bearer)
  const { isBearer } = require('../seam.js')
  if (!isBearer(bearer)) throw new Usage('the bearer holds a character that no HTTP header can carry')
  return bearer
}

async function readBearer(file) {
  let bytes
  try {
    bytes = await collect(createReadStream(file), LARGEST_BEARER)
  } catch (error) {
    throw new Usage(`--bearer-file ${file} cannot be read: ${reasonOf(error)}`)
  }
  const bearer = bytes.toString().replace(/\r?\n$/, '')
  if (bearer === '') throw new Usage(`--bearer-file ${file} is empty`)
  return bearer
}

module.exports = { bearerOf }
