'use strict'

const native = require('../native.js')

const [DEFAULT_LANE] = native.lanes()
const EXECUTORS = native.executors()

/**
 * What the options say of the spawn, as the package's functions take it. `ungated` where the model's turns pass no gate
 * at all; an executor that is named goes before what the model tells.
 *
 * @returns {{ slots: number, lane: string, executor?: string, ungated: boolean }}
 */
function intentOf({ intended: slots = 1, lane = DEFAULT_LANE, executor, model }) {
  if (executor !== undefined || model === undefined) return { slots, lane, executor, ungated: false }
  const code = native.executorOfModel(model)
  return { slots, lane, executor: EXECUTORS[code] || undefined, ungated: code === null }
}

module.exports = { intentOf }
