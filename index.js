'use strict'

const { refusalOfHealth, capacityOfHealth } = require('./lib/health.js')
const { throwMisuse } = require('./lib/native.js')
const { isSeam, refusalOfSeam } = require('./lib/seam.js')

// Each name is assigned literally, so that an ES module can import it by name.

module.exports.bridgeAdmissionRefusal = function bridgeAdmissionRefusal(healthOrSeam, intendedOrSignal, options) {
  return isSeam(healthOrSeam)
    ? refusalOfSeam(healthOrSeam, intendedOrSignal, options)
    : refusalOfHealth(healthOrSeam, intendedOrSignal)
}

module.exports.bridgeCapacity = function bridgeCapacity(health, intended) {
  // Taken for a body it would report nothing, and so admit everything.
  if (isSeam(health)) throwMisuse('health', 'a seam')
  return capacityOfHealth(health, intended)
}
