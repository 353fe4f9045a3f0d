// What comes with the command: the help, the man page, the completions, the entries of the package.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { completions } from '../completions/generate.mjs'
import codes from '../lib/cli/exit-codes.js'
import options from '../lib/cli/options.js'
import { run, unix } from './cli/run.mjs'

const { EXIT } = codes
const { OPTIONS, VERBS } = options

const root = new URL('..', import.meta.url)
const read = (file) => readFileSync(new URL(file, root), 'utf8')
const manifest = JSON.parse(read('package.json'))
const flagsOf = ({ short, name }) => [...(short ? [`-${short}`] : []), `--${name}`]

test('the help fits one screen, and names every verb and option', async () => {
  const { code, stdout, stderr } = await run(['--help'])
  assert.deepEqual([code, stderr], [0, ''])
  const lines = stdout.trimEnd().split('\n')
  assert.ok(lines.length <= 24, `${lines.length} lines`)
  for (const line of lines) assert.ok(line.length <= 80, line)
  for (const flag of OPTIONS.flatMap(flagsOf)) assert.match(stdout, new RegExp(`(^|\\s)${flag}\\b`, 'm'))
  for (const { name } of VERBS) assert.match(stdout, new RegExp(`^  bridge-admission \\[?${name}\\b`, 'm'))
  for (const verb of ['check', 'watch', 'classify']) assert.equal((await run([verb, '-h'])).stdout, stdout)
  // Whoever asks for help is not told of other mistakes first.
  assert.equal((await run(['-h', '--json', '-q', '--wait', 'x'])).stdout, stdout)
})

test("the version is the package's", async () => {
  for (const flag of ['--version', '-V']) {
    assert.equal((await run([flag])).stdout, `bridge-admission ${manifest.version}\n`)
  }
})

test('the man page has every verb, option, exit code and field', async () => {
  const page = read('man/bridge-admission.1')
  for (const { short, name, value } of OPTIONS) {
    const flags = short ? `Fl ${short} , Fl -${name}` : `Fl -${name}`
    assert.match(page, new RegExp(`^\\.It ${flags}${value ? ` Ar ${value.toLowerCase()}` : ''}$`, 'm'))
  }
  for (const { name } of VERBS) assert.match(page, new RegExp(`^\\.It Cm ${name}$`, 'm'))
  for (const code of Object.values(EXIT)) assert.match(page, new RegExp(`^\\.It (\\d+ , )?${code}( , \\d+)?$`, 'm'))
  for (const field of Object.keys(JSON.parse((await run(['health-host-idle.json', '--json'])).stdout))) {
    assert.match(page, new RegExp(`^\\.It Li ${field}$`, 'm'))
  }
})

test('the completions are those of the tables', () => {
  for (const [file, text] of Object.entries(completions)) {
    assert.equal(read(`completions/${file}`), text, `${file}: run node completions/generate.mjs`)
    for (const { name } of OPTIONS) assert.match(text, new RegExp(`\\b${name}\\b`))
  }
  const made = [...Object.keys(completions), 'generate.mjs']
  assert.deepEqual(readdirSync(new URL('completions', root)).sort(), made.sort())
})

test('bash completes', unix, async () => {
  const all = (verb) => OPTIONS.filter(({ verbs }) => verbs.includes(verb)).flatMap(flagsOf)
  const cases = [
    [[''], VERBS.map(({ name }) => name)],
    [['cl'], ['classify']],
    [['-'], all('check')],
    [['check', '--'], all('check').filter((flag) => flag.startsWith('--'))],
    [['watch', '-'], all('watch')],
    [['--json', 'classify', '-'], all('classify')],
    [
      ['--lane', ''],
      ['bulk', 'reserved', 'none']
    ],
    [['watch', '--executor', 's'], ['scoped-host']],
    [['--model', ''], []],
    [['--bearer-file', ''], []],
    [['check', ''], []],
    [['--exec', '--', 'bash', '--'], []]
  ]
  const script = `source "$1"; shift; COMP_WORDS=(bridge-admission "$@"); COMP_CWORD=$#
_bridge_admission 2> /dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`
  const file = fileURLToPath(new URL('completions/bridge-admission.bash', root))
  for (const [words, wanted] of cases) {
    const { stdout } = await run(['-c', script, 'bash', file, ...words], { command: 'bash', head: ['--norc'] })
    assert.deepEqual(stdout.trim().split('\n').filter(Boolean), wanted, words.join(' '))
  }
})

test('the package has the command and the page', () => {
  assert.deepEqual(Object.keys(manifest.bin), ['bridge-admission'])
  for (const file of [manifest.bin['bridge-admission'], manifest.man]) {
    assert.ok(existsSync(new URL(file, root)), file)
    assert.ok(manifest.files.includes(file.split('/')[0]), file)
  }
  assert.match(read(manifest.bin['bridge-admission']), /^#!\/usr\/bin\/env node\n/)
})
