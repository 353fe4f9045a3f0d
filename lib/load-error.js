'use strict'

const { existsSync, readFileSync } = require('node:fs')
const path = require('node:path')

/** The platform packages of this release, with their version. None in a clone. */
const { optionalDependencies: prebuilt = {} } = require('../package.json')

/** How a file says which machine it is for. */
const FORMATS = [
  { magic: '\x7fELF', platform: 'linux', machine: (bytes) => bytes.readUInt16LE(18) },
  { magic: '\xcf\xfa\xed\xfe', platform: 'darwin', machine: (bytes) => bytes.readUInt32LE(4) },
  { magic: 'MZ', platform: 'win32', machine: (bytes) => bytes.readUInt16LE(bytes.readUInt32LE(60) + 4) }
]
const MACHINES = { 0x3e: 'x64', 0xb7: 'arm64', 0x1000007: 'x64', 0x100000c: 'arm64', 0x8664: 'x64', 0xaa64: 'arm64' }

/** How the package manager that laid out this folder adds a package, and writes a broken one anew. */
const MANAGERS = [
  {
    is: () => process.versions.pnp || exists(path.join(__dirname, '..', '..', '.yarn-state.yml')),
    add: 'yarn add --optional',
    renew: (folder) => `${removed(folder)} && yarn install`
  },
  { is: () => __dirname.includes('.pnpm'), add: 'pnpm add --save-optional', renew: () => 'pnpm ci' },
  { is: () => process.versions.bun, add: 'bun add --optional', renew: () => 'bun install --force' },
  {
    is: () => true,
    add: 'npm install --include=optional --save-optional',
    // npm takes what has the right name and version as it is.
    renew: (folder) =>
      hasLock(folder) ? 'npm ci --include=optional' : `${removed(folder)} && npm install --include=optional`
  }
]

/** What may be wrong, the surest sign first. */
const REASONS = [
  {
    is: ({ error }) => error?.code === 'ERR_DLOPEN_DISABLED' && process.permission,
    says: () => 'the permission model of Node allows no addons',
    mend: () => 'node --allow-addons'
  },
  {
    is: ({ error }) => error?.code === 'ERR_DLOPEN_DISABLED',
    says: () => 'addons are switched off (--no-addons)',
    mend: () => 'node --addons'
  },
  {
    is: ({ error }) => error?.name === 'NotCapable',
    says: ({ error }) => `Deno runs without ${flagIn(error)}`,
    mend: () => 'deno run --allow-read --allow-ffi'
  },
  {
    is: ({ error }) => error?.code === 'ERR_ACCESS_DENIED',
    says: () => 'the permission model of Node does not let it be read',
    mend: () => `node --allow-addons --allow-fs-read=${quoted(path.join(__dirname, '..', '..'))}`
  },
  {
    is: ({ file, own }) => !file && !prebuilt[own],
    says: () => 'there is no such package in this release',
    mend: () => 'npm run build, in a clone of the source'
  },
  {
    is: ({ file, folder }) => !file && folder,
    says: () => 'it is incomplete',
    mend: ({ renew }) => renew
  },
  {
    is: ({ file }) => !file,
    says: () => 'it is not installed',
    mend: ({ add }) => add
  },
  {
    is: ({ error }) => !error,
    says: () => 'its file is cut short',
    mend: ({ renew }) => renew
  },
  {
    is: ({ file }) => !bytesOf(file),
    says: () => 'its file may not be read',
    mend: ({ file }) => `chmod a+r ${quoted(file)}`
  },
  {
    is: ({ file, host }) => hostOfFile(file) !== host,
    says: ({ file }) => `its file is built for ${hostOfFile(file)}`,
    mend: ({ name, local, own, add, renew }) => (local || name === own ? renew : add)
  },
  {
    // Without the file's path, which may hold such a word.
    is: ({ file, error }) =>
      /failed to map|not permitted|denied|policy|signature/i.test(error.message.replaceAll(file, '')),
    says: ({ error }) => `the system forbids it (${error.message})`,
    mend: () => 'install it where code may run: on a mount without noexec, under a policy that allows it'
  },
  {
    is: () => true,
    says: ({ error }) => error.message,
    mend: ({ renew }) => renew
  }
]

/**
 * The error for an addon that does not load. Its `code` is `ERR_BRIDGE_ADMISSION_ADDON`, its `cause` what the system said.
 * The message names the host (platform, architecture, libc), what was tried, what is wrong with it, and what mends it.
 *
 * @param attempts `{ name, file?, error? }` each: the package or the local build that was tried, the file found, and how
 *   loading it ended. A file without an error is cut short.
 */
function loadError(attempts) {
  const host = hostName(process.platform, process.arch, libcOfHost)
  const own = `bridge-admission-${host}`
  const ofOwn = attempts.find(({ name }) => name === own)
  const attempt = ofOwn?.file ? ofOwn : (attempts.find(({ file }) => file) ?? ofOwn ?? { name: own })

  const manager = MANAGERS.find(({ is }) => is())
  const folder = attempt.file ? path.dirname(attempt.file) : folderOf(attempt.name)
  const facts = {
    ...attempt,
    folder,
    host,
    own,
    add: `${manager.add} ${own}@${prebuilt[own]}`,
    renew: attempt.local ? 'npm run build' : folder && manager.renew(folder)
  }
  const { says, mend } = REASONS.find(({ is }) => is(facts))
  const error = new Error(
    `bridge-admission cannot load its addon on ${host}. Tried ${attempt.name}: ${says(facts)}. To mend it: ${mend(facts)}`,
    { cause: attempt.error }
  )
  error.code = 'ERR_BRIDGE_ADMISSION_ADDON'
  return error
}

/** Where a package is that has no file to load. */
function folderOf(name) {
  try {
    return path.dirname(require.resolve(`${name}/package.json`))
  } catch {
    return module.paths.map((modules) => path.join(modules, name)).find(exists)
  }
}

/** Whether npm, which laid out `folder`, wrote down what it laid out. */
function hasLock(folder) {
  const [project] = folder.split(`${path.sep}node_modules${path.sep}`)
  return ['package-lock.json', 'npm-shrinkwrap.json'].some((lock) => exists(path.join(project, lock)))
}

/** What may not be looked at, as under a permission model, is taken for missing. */
function exists(file) {
  try {
    return existsSync(file)
  } catch {
    return false
  }
}

function removed(folder) {
  return `${process.platform === 'win32' ? 'rmdir /s /q' : 'rm -r'} ${quoted(folder)}`
}

/** A path as the shell of this system takes it. */
function quoted(file) {
  if (/^[\w./:@+~\\-]+$/.test(file)) return file
  return process.platform === 'win32' ? `"${file}"` : `'${file.replaceAll("'", "'\\''")}'`
}

/** As the packages are named. */
function hostName(platform, arch, libc) {
  const abi = { linux: libc, win32: () => 'msvc' }[platform]
  return abi ? `${platform}-${arch}-${abi()}` : `${platform}-${arch}`
}

function libcOfHost() {
  // It runs on glibc alone, and wants a permission for the report.
  if (process.versions.deno) return 'gnu'
  const { report } = process
  const { excludeNetwork } = report
  // Else the report looks up the names of all open connections.
  report.excludeNetwork = true
  try {
    return report.getReport().header.glibcVersionRuntime ? 'gnu' : 'musl'
  } finally {
    report.excludeNetwork = excludeNetwork
  }
}

function hostOfFile(file) {
  const bytes = bytesOf(file)
  const format = FORMATS.find(({ magic }) => bytes.toString('latin1', 0, magic.length) === magic)
  const arch = format && MACHINES[machineIn(format, bytes)]
  if (!arch) return 'no known platform'
  return hostName(format.platform, arch, () => (bytes.includes('libc.so.6') ? 'gnu' : 'musl'))
}

/** None where the file ends before it says. */
function machineIn({ machine }, bytes) {
  try {
    return machine(bytes)
  } catch {
    return undefined
  }
}

function bytesOf(file) {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

function flagIn(error) {
  return /--allow-\w+/.exec(error.message)?.[0] ?? '--allow-ffi'
}

module.exports = { loadError }
