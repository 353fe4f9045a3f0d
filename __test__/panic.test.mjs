// A panic in Rust is an error in JavaScript, not the end of the process.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

test('every function of the glue catches a panic', () => {
  const source = readFileSync(new URL('../src/node.rs', import.meta.url), 'utf8')
  const functions = source.match(/#\[napi\([^\]]*\)\](\n(#\[|\/\/).*)*\npub fn \w+/g)
  assert.deepEqual(
    functions.filter((glue) => !glue.includes('catch_unwind')),
    []
  )
  assert.equal(functions.length, source.match(/^pub fn /gm).length)
})

test('the process outlives a panic', () => {
  const built = execFileSync(
    'cargo',
    ['build', '--quiet', '--features', 'panic-probe', '--message-format', 'json-render-diagnostics'],
    { cwd: root, encoding: 'utf8' }
  )
  const [library] = built
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ reason, target }) => reason === 'compiler-artifact' && target.name === 'bridge_admission')
    .flatMap(({ filenames }) => filenames.filter((name) => /\.(so|dylib|dll)$/.test(name)))
  const script = `
    const addon = { exports: {} }
    process.dlopen(addon, ${JSON.stringify(library)})
    try {
      addon.exports.panicProbe()
    } catch (error) {
      console.log(error instanceof Error, error.message)
    }
    console.log(addon.exports.lanes().join())`
  const printed = execFileSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore']
  })
  assert.equal(printed, 'true the probe panicked\nbulk,reserved,none\n')
})
