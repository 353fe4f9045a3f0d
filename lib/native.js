'use strict'

/** The addon of this host: a build in this folder, or the platform package that was installed with this one. */

const { closeSync, existsSync, openSync, readSync } = require('node:fs')
const { basename } = require('node:path')

const ELF_HEADER = 64
const ELF_MAGIC = 0x7f454c46
/** The only kind that is built. */
const ELF_64_LITTLE_ENDIAN = 0x0201

const { platform, arch } = process
/** Where a Linux host has both, the wrong one does not load. (That for glibc does on musl with gcompat, and works there.) */
const ABIS = { linux: ['-gnu', '-musl'], win32: ['-msvc'] }[platform] ?? ['']

function load() {
  const attempts = []
  for (const abi of ABIS) {
    const host = `${platform}-${arch}${abi}`
    const build = `${__dirname}/../bridge-admission.${host}.node`
    const attempt = { name: `bridge-admission-${host}` }
    attempts.push(attempt)
    try {
      // Under Deno's permissions the look alone may throw.
      if (existsSync(build)) Object.assign(attempt, { name: basename(build), local: true, file: build })
      else attempt.file = require.resolve(attempt.name)
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
    // No `Buffer` and no `fstat`: Node compiles each of their functions at its first call.
    const header = new DataView(new ArrayBuffer(ELF_HEADER))
    if (readSync(descriptor, header) < ELF_HEADER) return false
    if (header.getUint32(0) !== ELF_MAGIC || header.getUint16(4) !== ELF_64_LITTLE_ENDIAN) return true
    const sections = header.getUint16(58, true) * header.getUint16(60, true)
    const end = Number(header.getBigUint64(40, true)) + sections
    return readSync(descriptor, header, 0, 1, end - 1) === 1
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
