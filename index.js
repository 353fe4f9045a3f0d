'use strict'

const native = require('./native.js')
const { createClassifyFailure } = require('./lib/failure.js')
const { refusalOfHealth, capacityOfHealth } = require('./lib/health.js')
const { isSeam, refusalOfSeam } = require('./lib/seam.js')

// Each name is assigned literally, so that an ES module can import it by name.

module.exports.bridgeAdmissionRefusal = function bridgeAdmissionRefusal(healthOrSeam, intendedOrSignal, options) {
  return isSeam(healthOrSeam)
    ? refusalOfSeam(healthOrSeam, intendedOrSignal, options)
    : refusalOfHealth(healthOrSeam, intendedOrSignal)
}

module.exports.bridgeCapacity = function bridgeCapacity(health, intended) {
  // Taken for a body it would report nothing, and so admit everything.
  if (isSeam(health)) native.throwMisuse('health', 'a seam')
  return capacityOfHealth(health, intended)
}

module.exports.classifyFailure = createClassifyFailure(native)
