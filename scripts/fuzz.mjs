// Fuzzes the core: `npm run fuzz -- [--seconds 60] [--target NAME]… [--jobs 2] [--sanitizer none]`. Needs nightly Rust and
// cargo-fuzz. Without a sanitizer it is many times as fast.
//
// The seeds are made of the worked cases and the captured bodies, the dictionary of their words; neither is kept.

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..')
const fuzz = path.join(root, 'fuzz')
const examples = path.join(root, '__test__')

/** The targets, and which of the seeds each takes. */
const TARGETS = {
  admission: 'bodies',
  admission_by_value: 'bodies',
  failure_text: 'failures',
  failure_evidence: 'failures',
  failure_reader: 'failures'
}

const LARGEST_INPUT = 16_384
/** What no captured body has, and every reader of JSON has to bear. */
const ODD_WORDS = ['1e400', '-0', '5e-324', '9007199254740993', '\\ud83d', '\\u0000', '\ufeff', '[[[[', '":{"']

const { values: asked } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    sanitizer: { type: 'string', default: 'address' },
    target: { type: 'string', multiple: true, default: Object.keys(TARGETS) }
  }
})

const captured = readdirSync(path.join(examples, 'captures'))
  .filter((name) => /\.(json|sse)$/.test(name))
  .map((name) => readFileSync(path.join(examples, 'captures', name), 'utf8'))

const cases = (file) =>
  readFileSync(path.join(examples, 'cases', file), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

const seeds = {
  bodies: [
    ...captured,
    ...cases('admission.jsonl').map(({ health, health_text: text }) => text ?? JSON.stringify(health))
  ],
  failures: [
    ...captured,
    ...cases('failure.jsonl').flatMap(({ failure: { http, error, value, text } }) => [
      http?.body,
      error?.message,
      text,
      JSON.stringify(error ?? value)
    ])
  ]
}

function writeSeeds() {
  for (const [kind, texts] of Object.entries(seeds)) {
    const folder = path.join(fuzz, 'seeds', kind)
    mkdirSync(folder, { recursive: true })
    for (const text of texts.filter((text) => typeof text === 'string')) {
      writeFileSync(path.join(folder, createHash('sha256').update(text).digest('hex').slice(0, 16)), text)
    }
  }
}

function writeDictionary() {
  const words = captured.flatMap((text) => text.match(/"[\w-]{2,40}"/g) ?? [])
  const escaped = (word) =>
    Buffer.from(word).reduce((entry, byte) => `${entry}\\x${byte.toString(16).padStart(2, '0')}`, '')
  const entries = [...new Set([...words, ...ODD_WORDS])].sort().map((word) => `"${escaped(word)}"`)
  writeFileSync(path.join(fuzz, 'words.dict'), `${entries.join('\n')}\n`)
}

const cargoFuzz = ['+nightly', 'fuzz']
const sanitizer = ['--sanitizer', asked.sanitizer]

function need(what, get) {
  console.error(`Missing: ${what}\n  get it: ${get}`)
  process.exit(1)
}

/** Fuzzes one target for the time asked. Resolves to how many inputs it took; rejects where one was a finding. */
function run(target) {
  const corpus = path.join('corpus', target)
  mkdirSync(path.join(fuzz, corpus), { recursive: true })
  const options = [
    `-max_total_time=${asked.seconds}`,
    `-max_len=${LARGEST_INPUT}`,
    '-dict=words.dict',
    '-timeout=10',
    '-print_final_stats=1'
  ]
  const places = [corpus, path.join('seeds', TARGETS[target])]
  const args = [...cargoFuzz, 'run', ...sanitizer, target, ...places, '--', ...options]
  return new Promise((resolve, reject) => {
    const child = spawn('cargo', args, { cwd: fuzz, stdio: ['ignore', 'ignore', 'pipe'] })
    let log = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      log = (log + text).slice(-20_000)
    })
    child.on('error', reject)
    child.on('close', (code) => {
      const executed = log.match(/number_of_executed_units:\s*(\d+)/)?.[1]
      if (code === 0 && executed !== undefined) resolve(Number(executed))
      else reject(new Error(`${target}: exit code ${code}\n${log}`))
    })
  })
}

async function worker(queue) {
  for (let target = queue.shift(); target !== undefined; target = queue.shift()) {
    try {
      const executed = await run(target)
      console.log(`${target}: ${executed.toLocaleString('en')} inputs, no finding`)
    } catch (error) {
      console.error(error.message)
      process.exitCode = 1
    }
  }
}

for (const target of asked.target) {
  if (!Object.hasOwn(TARGETS, target)) need(`the target ${target}`, `one of ${Object.keys(TARGETS).join(', ')}`)
}
if (spawnSync('cargo', [...cargoFuzz, '--version'], { stdio: 'ignore' }).status !== 0) {
  need('nightly Rust with cargo-fuzz', 'rustup toolchain install nightly; cargo install cargo-fuzz')
}
writeSeeds()
writeDictionary()
const build = spawnSync('cargo', [...cargoFuzz, 'build', ...sanitizer], { cwd: fuzz, stdio: 'inherit' })
if (build.status !== 0) process.exit(1)

const queue = [...asked.target]
await Promise.all(Array.from({ length: Number(asked.jobs) }, () => worker(queue)))
