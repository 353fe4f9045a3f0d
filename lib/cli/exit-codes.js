'use strict'

/** The exit codes, named as `sysexits.h` names them where it does. The man page lists them for people. */
const EXIT = {
  ok: 0,
  notCapacity: 1,
  usage: 64,
  unavailable: 69,
  software: 70,
  ioError: 74,
  tempFail: 75,
  noPermission: 77,
  config: 78,
  notExecutable: 126,
  notFound: 127
}

/** The signals that end a command. */
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** What a shell says of a command that a signal ended. */
function ofSignal(name) {
  return 128 + require('node:os').constants.signals[name]
}

module.exports = { EXIT, ENDING, ofSignal }
