// Holds what artifacts/ has packed against what it should be: exactly its files, nothing of this machine, types and exports
// that every resolver takes, licences and sources that are allowed, and an empty production tree.

import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import assert from 'node:assert/strict'
import { artifacts, mainManifest, name, platforms, root, version } from './packages.mjs'
import { npmTool, run, tool } from './tools.mjs'

const tar = (...args) => execFileSync('tar', args, { cwd: artifacts, maxBuffer: 1 << 26 })
const lines = (text) => text.toString().trim().split('\n')

function checkFiles(tarball, expected) {
  const found = lines(tar('-tzf', tarball)).map((entry) => entry.replace(/^package\//, ''))
  assert.deepEqual(found.sort(), expected.sort(), tarball)
  const contents = tar('-xzOf', tarball)
  for (const place of [path.resolve(root), homedir(), '/home/', '/Users/']) {
    assert(!contents.includes(place), `${tarball} holds a path of this machine: ${place}`)
  }
}

const ALWAYS = ['package.json', 'README.md', 'LICENSE']
const main = `${name}-${version}.tgz`
const patterns = mainManifest().files.map((pattern) => pattern.replace(/^!/, ':!'))
const tracked = lines(execFileSync('git', ['ls-files', '--', ...patterns], { cwd: root }))
checkFiles(main, [...ALWAYS, ...tracked])
const packed = platforms.filter((platform) => readdirSync(artifacts).includes(`${platform.package}-${version}.tgz`))
assert(packed.length > 0, 'no platform is packed')
for (const platform of packed) checkFiles(`${platform.package}-${version}.tgz`, [...ALWAYS, platform.file])

const tarball = path.join(artifacts, main)
await run(process.execPath, [await npmTool('publint/src/cli.js'), 'run', tarball, '--strict'])
await run(process.execPath, [
  await npmTool('@arethetypeswrong/cli/dist/index.js'),
  tarball,
  '--format',
  'ascii',
  '--quiet'
])

// The advisories' database is a git repository, which not every machine reaches. The workflow checks them too.
const checks = process.argv.includes('--advisories') ? ['advisories'] : []
const deny = path.join(await tool('cargo-deny'), 'bin', 'cargo-deny')
await run(deny, ['check', ...checks, 'bans', 'licenses', 'sources'], root)

const { dependencies } = JSON.parse(
  execFileSync('npm', ['ls', '--omit=dev', '--package-lock-only', '--json'], { cwd: root })
)
assert.equal(dependencies, undefined, 'the production tree is not empty')
await run('npm', ['audit', '--omit=dev'], root)
