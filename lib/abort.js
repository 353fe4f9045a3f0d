'use strict'

/** One listener a signal, however many wait for it: Node warns of a leak at the eleventh. */
const waiting = new WeakMap()

function throwIfAborted(signal) {
  if (signal?.aborted) throw abortError(signal)
}

/** Calls `listener` with the error to reject with, once, when the signal aborts. Returns the way out. */
function onAbort(signal, listener) {
  if (signal === undefined) return () => {}
  if (!waiting.has(signal)) {
    const listeners = new Set()
    const tell = () => {
      for (const listener of listeners) listener(abortError(signal))
    }
    signal.addEventListener('abort', tell, { once: true })
    waiting.set(signal, { listeners, tell })
  }
  const { listeners, tell } = waiting.get(signal)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    waiting.delete(signal)
    try {
      signal.removeEventListener('abort', tell)
    } catch {
      // A signal of another library. Nobody listens behind it.
    }
  }
}

/** As Node's own functions reject: the reason of the signal is the cause. */
function abortError(signal) {
  const error = new Error('The operation was aborted', { cause: reasonOf(signal) })
  error.name = 'AbortError'
  error.code = 'ABORT_ERR'
  return error
}

/** A signal of another library may throw. */
function reasonOf(signal) {
  try {
    return signal.reason
  } catch {
    return undefined
  }
}

module.exports = { throwIfAborted, onAbort }
