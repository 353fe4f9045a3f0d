'use strict'

const { isAnyArrayBuffer, isSharedArrayBuffer, isUint8Array } = require('node:util/types')

/** A view's buffer as it is, whatever its own properties say. */
const { get: bufferOf } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'buffer')

const isBytes = (value) => ArrayBuffer.isView(value) || isAnyArrayBuffer(value)

/**
 * A `Uint8Array` with the bytes of a view or a buffer, an empty one where that is detached. Shared memory is copied, since
 * other threads may write there meanwhile: neither Rust nor a decoder of text stands that.
 */
function asBytes(bytes) {
  const view = viewOf(bytes)
  return isSharedArrayBuffer(bufferOf.call(view)) ? new Uint8Array(view) : view
}

function viewOf(bytes) {
  // By what it is: its prototype may say anything.
  if (isUint8Array(bytes)) return bytes
  try {
    if (!ArrayBuffer.isView(bytes)) return new Uint8Array(bytes)
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  } catch {
    return new Uint8Array()
  }
}

module.exports = { isBytes, asBytes }
