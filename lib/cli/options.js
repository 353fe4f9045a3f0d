'use strict'

const { parseArgs } = require('node:util')
const { parseDuration } = require('./duration.js')
const { Usage } = require('./usage.js')

/** The verbs, and what each is given. The first is meant where none is named. */
const VERBS = [
  { name: 'check', operand: 'URL|FILE|-', help: 'has a bridge room?' },
  { name: 'classify', operand: 'FILE|-', help: 'was a failure capacity?' },
  { name: 'watch', operand: 'URL', help: 'the picture of check, every 2 s' }
]

const CHECK = ['check']
const ASKING = ['check', 'watch']
const PRINTING = ['check', 'classify']
const ALL = ['check', 'classify', 'watch']

// Loaded for the options that need them only.
const lanes = () => require('../native.js').lanes()
const executors = () =>
  require('../native.js')
    .executors()
    .filter((name) => name !== '')

/**
 * Every option: its `name` and `short` letter, the name of its `value` where it takes one, the `choices` or the `read`
 * function of that value, whether it names a `file`, the `verbs` that have it, and its line of help.
 */
const OPTIONS = [
  { name: 'intended', short: 'n', value: 'N', read: readSlots, verbs: ASKING, help: 'slots to take at once (1)' },
  { name: 'lane', value: 'LANE', choices: lanes, verbs: ASKING, help: 'bulk, reserved or none (bulk)' },
  { name: 'executor', value: 'NAME', choices: executors, verbs: ASKING, help: 'host, scoped-host or none' },
  { name: 'model', value: 'ID', verbs: ASKING, help: 'wire id, gemini/gemini-2.5-pro: tells the executor' },
  { name: 'timeout', value: 'TIME', read: parseDuration, verbs: ASKING, help: 'for one answer of the bridge (5s)' },
  { name: 'bearer-file', value: 'FILE', file: true, verbs: ASKING, help: 'holds the bearer, else $BRIDGE_BEARER does' },
  { name: 'fail-open', verbs: CHECK, help: 'a bridge that cannot be reached or read has room' },
  { name: 'wait', value: 'TIME', read: parseDuration, verbs: CHECK, help: 'for room, so long at most: 90s, 10m, 1h' },
  { name: 'exec', verbs: CHECK, help: 'where there is room, run the command after --' },
  { name: 'json', verbs: PRINTING, help: 'print one JSON object' },
  { name: 'quiet', short: 'q', verbs: PRINTING, help: 'print no answer: the exit code tells it' },
  { name: 'ascii', verbs: ASKING, help: 'print ASCII only' },
  { name: 'help', short: 'h', verbs: ALL, help: 'print this' },
  { name: 'version', short: 'V', verbs: ALL, help: 'print the version' }
]

const PARSED = Object.fromEntries(
  OPTIONS.map(({ name, short, value }) => [name, { type: value ? 'string' : 'boolean', ...(short && { short }) }])
)

/**
 * Reads a command line. `values` holds the options by name, already read; `command` what `--exec` runs.
 *
 * @returns {{ verb: string, values: object, operand?: string, command?: string[] }}
 * @throws {Usage}
 */
function parse(argv) {
  const { values, tokens } = parsed(argv)
  const before = tokens.findIndex(({ kind }) => kind === 'option-terminator')
  const end = before < 0 ? tokens.length : before
  const words = (part) => part.filter(({ kind }) => kind === 'positional').map(({ value }) => value)
  const operands = words(tokens.slice(0, end))
  const rest = words(tokens.slice(end))

  const verb = VERBS.some(({ name }) => name === operands[0]) ? operands.shift() : VERBS[0].name
  if (values.help || values.version) return { verb, values }
  for (const name of Object.keys(values)) {
    if (!optionOf(name).verbs.includes(verb)) throw new Usage(`--${name} is not an option of ${verb}`)
  }
  for (const name of Object.keys(values)) values[name] = readValue(optionOf(name), values[name])

  // Without --exec the -- is what it is everywhere: what follows it is no option.
  const command = values.exec ? rest : undefined
  if (!values.exec) operands.push(...rest)
  if (operands.length > 1) throw new Usage(`one ${operandOf(verb)} at most, got ${shown(operands)}`)
  if (values.exec && !rest[0]) throw new Usage('--exec needs a command: --exec -- command [argument ...]')
  if (values.exec && values.json) throw new Usage("--exec and --json exclude each other: the output is the command's")
  if (values.json && values.quiet) throw new Usage('--json and --quiet exclude each other')
  return { verb, values, operand: operands[0], command }
}

function parsed(argv) {
  try {
    return parseArgs({ args: argv, options: PARSED, allowPositionals: true, tokens: true })
  } catch (error) {
    if (!error.code?.startsWith('ERR_PARSE_ARGS')) throw error
    // What follows the first sentence is advice for the author of a program.
    throw new Usage(error.message.split(/[.\n]/, 1)[0])
  }
}

const optionOf = (wanted) => OPTIONS.find(({ name }) => name === wanted)
const operandOf = (verb) => VERBS.find(({ name }) => name === verb).operand
const shown = (words) => words.map((word) => `'${word}'`).join(' ')

function readValue({ name, value, choices, read }, given) {
  if (!value) return given
  if (given === '') throw new Usage(`--${name} must not be empty`)
  if (read) return read(given, `--${name}`)
  if (choices && !choices().includes(given)) {
    throw new Usage(`--${name} must be one of ${choices().join(', ')}, got '${given}'`)
  }
  return given
}

function readSlots(text, what) {
  const slots = /^\d+$/.test(text) ? Number(text) : NaN
  if (slots >= 1 && Number.isSafeInteger(slots)) return slots
  throw new Usage(`${what} must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}, got '${text}'`)
}

module.exports = { VERBS, OPTIONS, parse }
