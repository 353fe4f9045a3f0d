'use strict'

const { refusalOfHealth, capacityOfHealth } = require('./lib/health.js')
const native = require('./lib/native.js')

// Each name is assigned literally, so that an ES module can import it by name.

module.exports.bridgeAdmissionRefusal = function bridgeAdmissionRefusal(healthOrSeam, intendedOrSignal, options) {
  // Who gives options means a seam, though its URL may be missing.
  if (options === undefined && !isSeam(healthOrSeam)) return refusalOfHealth(healthOrSeam, intendedOrSignal)
  // Loaded here, since many callers ask over a body of their own.
  const { refusalOfSeam } = require('./lib/seam.js')
  return refusalOfSeam(healthOrSeam, intendedOrSignal, options)
}

module.exports.bridgeCapacity = function bridgeCapacity(health, intended) {
  // Taken for a body it would report nothing, and so admit everything.
  if (isSeam(health)) native.throwMisuse('health', 'a seam')
  return capacityOfHealth(health, intended)
}

module.exports.classifyFailure = function classifyFailure(failure) {
  // Loaded here, since most processes see no failure.
  classify ??= require('./lib/failure.js').createClassifyFailure(native)
  return classify(failure)
}

let classify

/** Whether the argument says where a bridge is. All else is a health body. */
function isSeam(value) {
  try {
    return typeof value === 'object' && value !== null && typeof value.bridgeUrl === 'string'
  } catch {
    return false
  }
}
