// Runs the smoke tests on this host, with nothing but Node, npm and tar: on the tarballs of artifacts/, laid out as npm
// would, or with --published on what the registry hands out.

import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** A registry needs a while to show what was just published. */
const TRIES = 20
const BETWEEN_MS = 15_000

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..')
const read = (...where) => JSON.parse(readFileSync(path.join(root, ...where), 'utf8'))
const { name, version } = read('package.json')
const folder = mkdtempSync(path.join(tmpdir(), 'bridge-admission-smoke-'))

function unpack(packageName) {
  const into = path.join(folder, 'node_modules', packageName)
  mkdirSync(into, { recursive: true })
  const tarball = path.relative(folder, path.join(root, 'artifacts', `${packageName}-${version}.tgz`))
  execFileSync('tar', ['-xzf', tarball, '-C', path.relative(folder, into), '--strip-components=1'], { cwd: folder })
}

/** The package whose fields fit this process, as npm compares them. */
function addonOfHost() {
  const libc =
    process.platform !== 'linux' ? undefined : process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl'
  return readdirSync(path.join(root, 'npm'))
    .map((host) => read('npm', host, 'package.json'))
    .find(({ os, cpu, libc: libcs }) => os[0] === process.platform && cpu[0] === process.arch && libcs?.[0] === libc)
    .name
}

async function install() {
  const npm = (...args) =>
    execFileSync('npm', args, { cwd: folder, shell: process.platform === 'win32', stdio: 'inherit' })
  for (let tries = 1; ; tries++) {
    try {
      return npm('install', '--prefer-online', '--no-audit', '--no-fund', `${name}@${version}`)
    } catch (error) {
      if (tries === TRIES) throw error
      await sleep(BETWEEN_MS)
    }
  }
}

try {
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n')
  if (process.argv.includes('--published')) await install()
  else [name, addonOfHost()].forEach(unpack)
  for (const test of ['smoke.mjs', 'seam.mjs', 'workers.mjs']) {
    copyFileSync(path.join(root, '__test__', 'package', test), path.join(folder, test))
    execFileSync(process.execPath, [test], { cwd: folder, stdio: 'inherit' })
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
