// Builds the addon as it is released, for the hosts that are named (linux-x64-gnu …) or for all that this machine can build,
// into artifacts/. Refuses a binary that would not run everywhere, has grown, or tells of the machine that built it.

import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { buildAddon, cargoHome, remapped } from './cargo.mjs'
import { artifacts, platforms, root } from './packages.mjs'
import { tool } from './tools.mjs'

/** The glibc of RHEL 7 and of all that is newer. */
const GLIBC = '2.17'
const LARGEST = 550_000
/** All that a binary may need is its libc: unwinding it does itself. */
const NEEDED = { glibc: /^(lib(c|m|dl|rt|pthread)\.so\.\d|ld-linux-.+)$/, musl: /^libc\.(so|musl-.+)$/ }

const FLAGS = {
  // The libc is the one of the process that loads the addon.
  musl: ['-Ctarget-feature=-crt-static'],
  // Else the linker takes the path of the build for the library's name.
  darwin: ['-Clink-arg=-Wl,-install_name,@rpath/bridge-admission.node'],
  // Not every Windows has the runtime library of Visual C++.
  win32: ['-Ctarget-feature=+crt-static']
}

const sysroot = rustc('--print', 'sysroot')
const folder = path.resolve(root)

async function build(platform) {
  const { triple } = platform
  const flags = flagsFor(platform)
  const args = ['--release', '--locked', '--target']
  let addon
  if (platform.platform === 'linux') {
    const zig = await tool('zig')
    const env = { ...process.env, CARGO_ZIGBUILD_ZIG_PATH: path.join(zig, 'ziglang', 'zig') }
    const target = platform.libc === 'glibc' ? `${triple}.${GLIBC}` : triple
    addon = buildAddon(['zigbuild', ...args, target], { cargo: path.join(zig, 'bin', 'cargo-zigbuild'), flags, env })
  } else {
    addon = buildAddon(['build', ...args, triple], { flags })
  }
  mkdirSync(artifacts, { recursive: true })
  copyFileSync(addon, path.join(artifacts, platform.file))
}

function flagsFor(platform) {
  const flags = remapped({
    crates: '/crates',
    also: [
      [sysroot, '/rust'],
      [folder, '']
    ]
  })
  return [...flags, ...(FLAGS[platform.libc ?? platform.platform] ?? [])]
}

/** What is wrong with a built binary, in words. */
function faults(platform) {
  const file = path.join(artifacts, platform.file)
  const bytes = readFileSync(file)
  const found = []
  if (bytes.length > LARGEST) found.push(`it has ${bytes.length} bytes, more than ${LARGEST}`)
  for (const place of [cargoHome, sysroot, folder, homedir(), '/home/', '/Users/', 'C:\\Users\\']) {
    if (bytes.includes(place)) found.push(`it holds a path of the machine that built it, ${place}`)
  }
  let needs = ''
  if (platform.libc) {
    const libraries = execFileSync('objdump', ['-p', file], { encoding: 'utf8' }).match(/(?<=NEEDED +)\S+/g)
    for (const library of libraries) if (!NEEDED[platform.libc].test(library)) found.push(`it needs ${library}`)
    needs = `, needs ${libraries.join(', ')}`
  }
  if (platform.libc === 'glibc') {
    const symbols = execFileSync('objdump', ['-T', file], { encoding: 'utf8' })
    const newest = symbols
      .match(/(?<=GLIBC_)[\d.]+/g)
      .sort(byVersion)
      .at(-1)
    if (byVersion(newest, GLIBC) > 0) found.push(`it needs GLIBC ${newest}, more than ${GLIBC}`)
    needs += `, GLIBC ${newest}`
  }
  console.log(`${platform.file}: ${bytes.length} bytes${needs}`)
  return found.map((fault) => `${platform.file}: ${fault}`)
}

function byVersion(a, b) {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number))
  return left[0] - right[0] || left[1] - right[1]
}

/** Whether the standard library of the target is installed, and something links for it. */
function canBuild({ platform, triple }) {
  return (
    (platform === 'linux' || platform === process.platform) &&
    existsSync(rustc('--print', 'target-libdir', '--target', triple))
  )
}

function rustc(...args) {
  return execFileSync(process.env.RUSTC ?? 'rustc', args, { encoding: 'utf8' }).trim()
}

const named = process.argv.slice(2)
const unknown = named.filter((host) => !platforms.some((platform) => platform.host === host))
if (unknown.length > 0) throw new Error(`there is no package for ${unknown.join(', ')}`)
const wanted = named.length > 0 ? platforms.filter(({ host }) => named.includes(host)) : platforms.filter(canBuild)
const wrong = []
// What an earlier build of another platform left would be packed too.
if (named.length === 0) rmSync(artifacts, { recursive: true, force: true })
for (const platform of wanted) {
  await build(platform)
  wrong.push(...faults(platform))
}
for (const fault of wrong) console.error(fault)
process.exitCode = wrong.length > 0 ? 1 : 0
