'use strict'

const { OPTIONS, VERBS } = require('./options.js')

const USAGE_WIDTH = 44
const OPTION_WIDTH = 26

const EXIT_CODES = `\
Exit: 0 room, 75 no room now, 78 can never fit, 69 bridge unreachable or
  unreadable, 77 unauthorized, 64 usage. classify: 0 capacity, 1 otherwise.`

const EXAMPLES = `\
Examples:
  bridge-admission http://127.0.0.1:3344 --intended 4
  bridge-admission --wait 10m --exec -- claude -p 'fix the test'
  bridge-admission classify error.json`

/** The help: one screen of 24 lines and 80 columns. */
function help() {
  const verbs = VERBS.map(({ name, operand, help }, i) => {
    const shown = i === 0 ? `[${name}] [${operand}]` : `${name} [${operand}]`
    return `  bridge-admission ${shown}`.padEnd(USAGE_WIDTH) + help
  })
  const described = OPTIONS.filter(({ name }) => name !== 'help' && name !== 'version').map(
    ({ short, name, value, help }) => {
      const left = `  ${short ? `-${short}, ` : '    '}--${name}${value ? ` ${value}` : ''}`
      return left.padEnd(OPTION_WIDTH) + help
    }
  )
  return ['Usage:', ...verbs, ...described, '  -h, --help   -V, --version', EXIT_CODES, EXAMPLES].join('\n')
}

module.exports = { help }
