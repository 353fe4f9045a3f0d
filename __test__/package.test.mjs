// What is published is what the tree says.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { mainManifest, platformFiles, platforms, root, version } from '../scripts/packages.mjs'

const read = (...where) => readFileSync(path.join(root, ...where), 'utf8')

test('the folders under npm/ are as they are generated', () => {
  assert.deepEqual(readdirSync(path.join(root, 'npm')).sort(), platforms.map(({ host }) => host).sort())
  for (const platform of platforms) {
    const files = platformFiles(platform)
    assert.deepEqual(readdirSync(path.join(root, 'npm', platform.host)).sort(), Object.keys(files).sort())
    for (const [file, text] of Object.entries(files))
      assert.equal(read('npm', platform.host, file), text, platform.host)
  }
})

test('the main package brings each platform package in its own version', () => {
  const { optionalDependencies, dependencies, scripts, devDependencies } = mainManifest()
  assert.deepEqual(optionalDependencies, {
    'bridge-admission-linux-x64-gnu': version,
    'bridge-admission-linux-arm64-gnu': version,
    'bridge-admission-linux-x64-musl': version,
    'bridge-admission-linux-arm64-musl': version,
    'bridge-admission-darwin-x64': version,
    'bridge-admission-darwin-arm64': version,
    'bridge-admission-win32-x64-msvc': version,
    'bridge-admission-win32-arm64-msvc': version
  })
  assert.deepEqual([dependencies, scripts, devDependencies], [undefined, undefined, undefined])
})

test('a platform package says where it fits, and nothing that makes npm leave it out', () => {
  const fits = Object.fromEntries(
    platforms.map((platform) => {
      const { os, cpu, libc, engines, files, main } = JSON.parse(read('npm', platform.host, 'package.json'))
      assert.deepEqual([engines, files, main], [undefined, [platform.file], platform.file])
      return [platform.host, { os, cpu, ...(libc && { libc }) }]
    })
  )
  assert.deepEqual(fits, {
    'linux-x64-gnu': { os: ['linux'], cpu: ['x64'], libc: ['glibc'] },
    'linux-arm64-gnu': { os: ['linux'], cpu: ['arm64'], libc: ['glibc'] },
    'linux-x64-musl': { os: ['linux'], cpu: ['x64'], libc: ['musl'] },
    'linux-arm64-musl': { os: ['linux'], cpu: ['arm64'], libc: ['musl'] },
    'darwin-x64': { os: ['darwin'], cpu: ['x64'] },
    'darwin-arm64': { os: ['darwin'], cpu: ['arm64'] },
    'win32-x64-msvc': { os: ['win32'], cpu: ['x64'] },
    'win32-arm64-msvc': { os: ['win32'], cpu: ['arm64'] }
  })
})

test('the version stands in package.json; what else shows it is generated from it', () => {
  assert.doesNotMatch(read('Cargo.toml'), /^version/m)
  const lock = JSON.parse(read('package-lock.json'))
  assert.deepEqual([lock.version, lock.packages[''].version], [version, version])
})

test('the loader names each platform package, for file tracers', () => {
  const named = read('lib', 'native.js').match(/(?<=require\(')bridge-admission-[^']+/g)
  assert.deepEqual(named.sort(), platforms.map((platform) => platform.package).sort())
})

test('no file of the package names a registry', () => {
  assert.doesNotMatch(read('scripts', 'tools', 'package-lock.json'), /resolved/)
  assert.doesNotMatch(read('package-lock.json'), /resolved/)
})
