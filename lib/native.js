'use strict'

/**
 * The addon of this host: a build in this folder, or the platform package that was installed with this one.
 *
 * The generated loader knows more hosts, and names each package literally, which file tracers follow. But it takes 3 ms:
 * it is asked last.
 */

const { closeSync, existsSync, fstatSync, openSync, readSync } = require('node:fs')
const { basename } = require('node:path')

const ELF_HEADER = 64
/** A 64-bit little-endian file, the only kind that is built. */
const ELF_MAGIC = 0x7f454c460201

const { platform, arch } = process
/** Where a Linux host has both, the wrong one does not load. */
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
  try {
    if (!attempts.some(({ file }) => file)) return require('../native.js')
  } catch {
    // It speaks of a bug in npm, whatever the cause.
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

module.exports = load()
