// Runs the smoke tests on this host, with nothing but Node, npm and tar: on the tarballs of artifacts/, laid out as npm
// would, or with --published on what the registry hands out.

import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { artifacts, hostPlatform, name, root, version } from './packages.mjs'

/** A registry needs a while to show what was just published. */
const TRIES = 20
const BETWEEN_MS = 15_000

// Its real path: what is below is named relatively, and macOS has its folder for such files behind a link.
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'bridge-admission-smoke-')))

function unpack(packageName) {
  const into = path.join(folder, 'node_modules', packageName)
  mkdirSync(into, { recursive: true })
  const tarball = path.relative(folder, path.join(artifacts, `${packageName}-${version}.tgz`))
  execFileSync('tar', ['-xzf', tarball, '-C', path.relative(folder, into), '--strip-components=1'], { cwd: folder })
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
  else [name, hostPlatform().package].forEach(unpack)
  for (const test of ['smoke.mjs', 'seam.mjs', 'workers.mjs']) {
    copyFileSync(path.join(root, '__test__', 'package', test), path.join(folder, test))
    execFileSync(process.execPath, [test], { cwd: folder, stdio: 'inherit' })
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
