'use strict'

/** The addon of this host: a build in this folder, or the platform package that was installed with this one. */

const { closeSync, existsSync, fstatSync, openSync, readSync } = require('node:fs')
const { basename } = require('node:path')

const ELF_HEADER = 64
/** A 64-bit little-endian file, the only kind that is built. */
const ELF_MAGIC = 0x7f454c460201

const { platform, arch } = process
/** Where a Linux host has both, the wrong one does not load. (That for glibc does on musl with gcompat, and works there.) */
const ABIS = { linux: ['-gnu', '-musl'], win32: ['-msvc'] }[platform] ?? ['']

function load() {
  const attempts = []
  for (const abi of ABIS) {
    const host = `${platform}-${arch}${abi}`
    const build = `${__dirname}/../bridge-admission.${host}.node`
    const attempt = existsSync(build) ? { name: basename(build), local: true } : { name: `bridge-admission-${host}` }
    attempts.push(attempt)
    try {
      attempt.file = attempt.local ? build : require.resolve(attempt.name)
      if (isWhole(attempt.file)) return require(attempt.file)
    } catch (error) {
      attempt.error = error
    }
  }
  throw require('./load-error.js').loadError(attempts)
}

/**
 * Whether an ELF file ends where its header says. The system does not look: a process that loads a file cut short dies
 * of SIGBUS, and could say nothing.
 */
function isWhole(file) {
  let descriptor
  try {
    descriptor = openSync(file)
    const header = Buffer.alloc(ELF_HEADER)
    if (readSync(descriptor, header) < ELF_HEADER) return false
    if (header.readUIntBE(0, 6) !== ELF_MAGIC) return true
    const sections = header.readUInt16LE(58) * header.readUInt16LE(60)
    return Number(header.readBigUInt64LE(40)) + sections <= fstatSync(descriptor).size
  } catch {
    // Not to be read, as under Deno's permissions. The system may still load it.
    return true
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** Never called: file tracers, as serverless builds use them, follow the names that are written out. */
function traced() {
  require('bridge-admission-linux-x64-gnu')
  require('bridge-admission-linux-arm64-gnu')
  require('bridge-admission-linux-x64-musl')
  require('bridge-admission-linux-arm64-musl')
  require('bridge-admission-darwin-x64')
  require('bridge-admission-darwin-arm64')
  require('bridge-admission-win32-x64-msvc')
  require('bridge-admission-win32-arm64-msvc')
}

module.exports = load()
