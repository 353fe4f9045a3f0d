// How the package loads: what it exports, what that costs, and what it says where it cannot, each broken for real.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { hostPlatform, root, stageMain, stagePlatform, version } from '../scripts/packages.mjs'

const host = hostPlatform()
const built = path.join(root, host.file)
const linux = { skip: host.platform !== 'linux' && 'the file is an ELF file on Linux only' }
/** musl loads a file without a look at its machine or the version of its libc: a real one of the other kind fails later. */
const glibc = { skip: host.libc !== 'glibc' && 'only glibc refuses a file for a word in it' }

const NAMES = ['bridgeAdmissionRefusal', 'bridgeCapacity', 'classifyFailure']
const ADD = `npm install --include=optional --save-optional ${host.package}@${version}`
const RENEW = 'npm ci --include=optional'

const folders = []
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** A folder as npm leaves it: the published package beside this host's. */
function install(name = 'bridge-admission') {
  const folder = mkdtempSync(path.join(tmpdir(), `${name}-`))
  folders.push(folder)
  const main = path.join(folder, 'node_modules', 'bridge-admission')
  const addon = path.join(folder, 'node_modules', host.package)
  stageMain(main)
  stagePlatform(host, built, addon)
  writeFileSync(path.join(folder, 'package-lock.json'), '{}')
  return { folder, main, addon, file: path.join(addon, host.file) }
}

/** Requires the package from `folder` in a process of its own. */
function load(folder, { flags = [], before = '' } = {}) {
  const script = `${before}
    try {
      console.log(JSON.stringify({ names: Object.keys(require('bridge-admission')) }))
    } catch ({ code, message, cause }) {
      console.log(JSON.stringify({ code, message, cause: cause?.code }))
    }
    if (process.report.excludeNetwork) throw new Error('the settings of the host are changed')`
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [...flags, '-e', script], {
    cwd: folder,
    encoding: 'utf8'
  })
  assert.deepEqual({ status, signal }, { status: 0, signal: null }, stderr)
  return JSON.parse(stdout)
}

/** Loading from `folder` ends in this one error. */
function fails(folder, { tried = host.package, because, mend, cause }, how) {
  const message = `bridge-admission cannot load its addon on ${host.host}. Tried ${tried}: ${because}. To mend it: ${mend}`
  assert.deepEqual(load(folder, how), { code: 'ERR_BRIDGE_ADMISSION_ADDON', message, ...(cause && { cause }) })
}

/** Overwrites bytes of a file at a place. */
function patch(file, place, bytes) {
  const contents = readFileSync(file)
  contents.set(bytes, place)
  writeFileSync(file, contents)
}

test('the face is exactly its names, by require and by import', async () => {
  const { folder } = install()
  assert.deepEqual(load(folder), { names: NAMES })
  const face = await import('../index.js')
  assert.deepEqual(
    Object.keys(face).filter((name) => name !== 'module.exports'),
    [...NAMES, 'default']
  )
  assert.deepEqual(face.default, createRequire(import.meta.url)('../index.js'))
})

test('the package is not installed', () => {
  const { folder, addon } = install()
  rmSync(addon, { recursive: true })
  fails(folder, { because: 'it is not installed', mend: ADD, cause: 'MODULE_NOT_FOUND' })
})

test('the package is incomplete', () => {
  for (const lack of ['package.json', host.file]) {
    const { folder, addon } = install()
    rmSync(path.join(addon, lack))
    fails(folder, { because: 'it is incomplete', mend: RENEW, cause: 'MODULE_NOT_FOUND' })
  }
  const { folder, file } = install()
  rmSync(file)
  mkdirSync(file)
  fails(folder, { because: 'it is incomplete', mend: RENEW, cause: 'MODULE_NOT_FOUND' })
})

test('npm wrote no lock file', () => {
  const { folder, addon, file } = install()
  rmSync(path.join(folder, 'package-lock.json'))
  rmSync(file)
  const mend = `rm -r ${realpathSync(addon)} && npm install --include=optional`
  fails(folder, { because: 'it is incomplete', mend, cause: 'MODULE_NOT_FOUND' })
})

test('a path with what a shell reads otherwise', linux, () => {
  const { folder, addon, file } = install("a$HOME & it's")
  rmSync(path.join(folder, 'package-lock.json'))
  rmSync(file)
  const mend = `rm -r '${realpathSync(addon).replace("'", "'\\''")}' && npm install --include=optional`
  fails(folder, { because: 'it is incomplete', mend, cause: 'MODULE_NOT_FOUND' })
  assert.equal(spawnSync('sh', ['-c', mend.split(' && npm')[0]]).status, 0)
  assert.equal(existsSync(addon), false)
})

test('the file may not be read', linux, () => {
  const { folder, file } = install()
  chmodSync(folder, 0o755)
  chmodSync(file, 0)
  const before = process.getuid() === 0 ? 'process.setuid(65534)' : ''
  const mend = `chmod a+r ${realpathSync(file)}`
  fails(folder, { because: 'its file may not be read', mend, cause: 'ERR_DLOPEN_FAILED' }, { before })
})

test('a build in the tree is of another host', linux, () => {
  const { folder, main, addon } = install()
  rmSync(addon, { recursive: true })
  const build = path.join(main, host.file)
  copyFileSync(built, build)
  const [arch, machine] = host.arch === 'x64' ? ['arm64', 0xb7] : ['x64', 0x3e]
  const attempt = { tried: host.file, mend: 'npm run build', cause: 'ERR_DLOPEN_FAILED' }
  patch(build, 18, [machine])
  if (host.libc === 'glibc') {
    fails(folder, { ...attempt, because: `its file is built for ${host.host.replace(host.arch, arch)}` })
  }
  patch(build, 0, Buffer.from('MZ'))
  fails(folder, { ...attempt, because: 'its file is built for no known platform' })
})

test('the file is cut short', linux, () => {
  const { folder, file } = install()
  const whole = readFileSync(file).length
  // Loaded, the half file kills the process.
  for (const length of [0, 1, 63, 64, 4096, whole >> 1, whole - 1]) {
    copyFileSync(built, file)
    truncateSync(file, length)
    fails(folder, { because: 'its file is cut short', mend: RENEW })
  }
})

test('the file is of another architecture', glibc, () => {
  const { folder, file } = install()
  const [arch, machine] = host.arch === 'x64' ? ['arm64', 0xb7] : ['x64', 0x3e]
  patch(file, 18, [machine])
  const because = `its file is built for ${host.host.replace(host.arch, arch)}`
  fails(folder, { because, mend: RENEW, cause: 'ERR_DLOPEN_FAILED' })
})

test('the file is of another platform', linux, () => {
  const { folder, file } = install()
  const darwin = Buffer.from('cffaedfe0c000001', 'hex')
  writeFileSync(file, Buffer.concat([darwin, Buffer.alloc(100)]))
  fails(folder, { because: 'its file is built for darwin-arm64', mend: RENEW, cause: 'ERR_DLOPEN_FAILED' })

  const windows = Buffer.alloc(200)
  windows.write('MZ')
  windows.writeUInt32LE(128, 60)
  windows.writeUInt16LE(0x8664, 132)
  writeFileSync(file, windows)
  fails(folder, { because: 'its file is built for win32-x64-msvc', mend: RENEW, cause: 'ERR_DLOPEN_FAILED' })

  writeFileSync(file, 'version https://git-lfs.github.com/spec/v1\n'.repeat(9))
  fails(folder, { because: 'its file is built for no known platform', mend: RENEW, cause: 'ERR_DLOPEN_FAILED' })
})

test('the package is for the other libc', glibc, () => {
  const { folder, addon, file } = install()
  const tried = `bridge-admission-${host.platform}-${host.arch}-musl`
  // The one library of the other libc that no host of this one has.
  patch(file, readFileSync(file).indexOf('libc.so.6'), Buffer.from('libc.musl'))

  const because = `its file is built for ${host.platform}-${host.arch}-musl`
  fails(folder, { because, mend: RENEW, cause: 'ERR_DLOPEN_FAILED' })

  // As in a folder that was copied from a container of the other kind.
  renameSync(addon, path.join(folder, 'node_modules', tried))
  fails(folder, { tried, because, mend: ADD, cause: 'ERR_DLOPEN_FAILED' })
})

test('the file is of this host and broken all the same', linux, () => {
  // Its path says nothing of why.
  const { folder, file } = install('denied-by-policy')
  // An ELF file for execution where a library is wanted: no other field is wrong.
  patch(file, 16, [4])
  const because =
    host.libc === 'glibc'
      ? `${realpathSync(file)}: only ET_DYN and ET_EXEC can be loaded`
      : `Error loading shared library ${realpathSync(file)}: Exec format error`
  fails(folder, { because, mend: RENEW, cause: 'ERR_DLOPEN_FAILED' })
})

test('addons are switched off', () => {
  const { folder } = install()
  const because = 'addons are switched off (--no-addons)'
  fails(folder, { because, mend: 'node --addons', cause: 'ERR_DLOPEN_DISABLED' }, { flags: ['--no-addons'] })
  assert.deepEqual(load(folder, { flags: ['--no-addons', '--addons'] }), { names: NAMES })
})

test('the permission model allows no addons', () => {
  const { folder } = install()
  const permission = ['--permission', '--experimental-permission'].find((flag) => {
    return process.allowedNodeEnvironmentFlags.has(flag) || spawnSync(process.execPath, [flag, '-e', '']).status === 0
  })
  const flags = ['--no-warnings', permission, '--allow-fs-read=*']
  const because = 'the permission model of Node allows no addons'
  fails(folder, { because, mend: 'node --allow-addons', cause: 'ERR_DLOPEN_DISABLED' }, { flags })
  assert.deepEqual(load(folder, { flags: [...flags, '--allow-addons'] }), { names: NAMES })
})

test('no package is published for the host', () => {
  const { folder } = install()
  const before = "Object.defineProperty(process, 'arch', { value: 'riscv64' })"
  const message =
    /^bridge-admission cannot load its addon on .*-riscv64.*\. Tried bridge-admission-.*-riscv64.*: there is no such package in this release\. To mend it: npm run build, in a clone of the source$/
  assert.match(load(folder, { before }).message, message)
})

test('in a clone, the build is missing or broken', linux, () => {
  const { folder, main } = install()
  copyFileSync(path.join(root, 'package.json'), path.join(main, 'package.json'))
  const mend = 'npm run build, in a clone of the source'
  rmSync(path.join(folder, 'node_modules', host.package), { recursive: true })
  fails(folder, { because: 'there is no such package in this release', mend, cause: 'MODULE_NOT_FOUND' })

  copyFileSync(built, path.join(main, host.file))
  assert.deepEqual(load(folder), { names: NAMES })
  truncateSync(path.join(main, host.file), 5000)
  fails(folder, { tried: host.file, because: 'its file is cut short', mend: 'npm run build' })
})

test('under pnpm, the commands are those of pnpm', () => {
  const { folder, main, addon } = install()
  const store = path.join(folder, 'node_modules', '.pnpm', 'bridge-admission@0', 'node_modules')
  mkdirSync(store, { recursive: true })
  renameSync(main, path.join(store, 'bridge-admission'))
  symlinkSync(path.join(store, 'bridge-admission'), main, 'junction')
  rmSync(addon, { recursive: true })
  const mend = `pnpm add --save-optional ${host.package}@${version}`
  fails(folder, { because: 'it is not installed', mend, cause: 'MODULE_NOT_FOUND' })
})
