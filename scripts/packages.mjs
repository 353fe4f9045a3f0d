// What is published: the package itself and one package for each platform. Everything is derived from package.json.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..')
/** What a build leaves: the binaries, the staged packages, the tarballs. */
export const artifacts = path.join(root, 'artifacts')

const source = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
export const { name, version, license } = source

/** What only a clone needs. */
const UNPUBLISHED = ['scripts', 'devDependencies']
const SYSTEMS = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' }
const LIBCS = { gnu: 'glibc', musl: 'musl' }

/** The targets of rustc that packages are built for, each as Node names it. */
const TARGETS = {
  'x86_64-unknown-linux-gnu': ['linux', 'x64', 'gnu'],
  'aarch64-unknown-linux-gnu': ['linux', 'arm64', 'gnu'],
  'x86_64-unknown-linux-musl': ['linux', 'x64', 'musl'],
  'aarch64-unknown-linux-musl': ['linux', 'arm64', 'musl'],
  'x86_64-apple-darwin': ['darwin', 'x64'],
  'aarch64-apple-darwin': ['darwin', 'arm64'],
  'x86_64-pc-windows-msvc': ['win32', 'x64', 'msvc'],
  'aarch64-pc-windows-msvc': ['win32', 'arm64', 'msvc']
}

/** One row for each target: its triple, its name as in the packages' names, its package and file. */
export const platforms = Object.entries(TARGETS).map(([triple, [platform, arch, abi]]) => {
  const host = [platform, arch, abi].filter(Boolean).join('-')
  const libc = LIBCS[abi]
  return { triple, host, platform, arch, libc, package: `${name}-${host}`, file: `${name}.${host}.node` }
})

/** All packages, those of the platforms before the main one, which is no use without them. */
export const packageNames = [...platforms.map((platform) => platform.package), name]

/** Whether the registry has `spec`, such as `name` or `name@version`. */
export function isPublished(spec) {
  return spawnSync('npm', ['view', spec, 'version', '--prefer-online'], { stdio: 'ignore' }).status === 0
}

/** What the registry says of the tarball of `spec`, undefined where it has none. */
export function publishedIntegrity(spec) {
  const { status, stdout } = spawnSync('npm', ['view', spec, 'dist.integrity', '--prefer-online'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

/** The platform of this process. */
export function hostPlatform() {
  const libc = process.platform === 'linux' ? hostLibc() : undefined
  const { platform, arch } = process
  const found = platforms.find((row) => row.platform === platform && row.arch === arch && row.libc === libc)
  if (!found) throw new Error(`there is no package for ${platform} ${arch}${libc ? ` with ${libc}` : ''}`)
  return found
}

/** The addon's file on this host, which need not be one that there is a package for. */
export function hostFile() {
  const { platform, arch } = process
  const abi = { linux: () => (hostLibc() === 'glibc' ? '-gnu' : '-musl'), win32: () => '-msvc' }[platform]?.() ?? ''
  return `bridge-admission.${platform}-${arch}${abi}.node`
}

function hostLibc() {
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl'
}

/** The published package.json: without what only a clone needs, with the platform packages in this very version. */
export function mainManifest() {
  const manifest = Object.fromEntries(Object.entries(source).filter(([key]) => !UNPUBLISHED.includes(key)))
  return withRepository({
    ...manifest,
    optionalDependencies: Object.fromEntries(platforms.map((platform) => [platform.package, version]))
  })
}

/** No `engines`: npm leaves out an optional package whose engines do not match, and says nothing. */
export function platformManifest(platform) {
  return {
    name: platform.package,
    version,
    description: `The native addon of ${name} for ${inWords(platform)}`,
    license,
    main: platform.file,
    files: [platform.file],
    os: [platform.platform],
    cpu: [platform.arch],
    ...(platform.libc && { libc: [platform.libc] })
  }
}

export function platformReadme(platform) {
  return `# ${platform.package}

The native addon of \`${name}\` for ${inWords(platform)} (\`${platform.triple}\`).

Install \`${name}\`: it brings this package along where it fits.
`
}

function inWords({ platform, arch, libc }) {
  return `${SYSTEMS[platform]} ${arch}${libc ? ` with ${libc}` : ''}`
}

/** npm proves where a package was built only if it names the repository, which the workflow knows. */
function withRepository(manifest) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env
  if (!repository) return manifest
  return { ...manifest, repository: { type: 'git', url: `git+${server}/${repository}.git` } }
}

export function asJson(value) {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Lays out the main package in `folder` as it is published. */
export function stageMain(folder) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const file of [...source.files.filter((pattern) => !pattern.startsWith('!')), 'LICENSE', 'README.md']) {
    cpSync(path.join(root, file), path.join(folder, file), { recursive: true })
  }
  writeFileSync(path.join(folder, 'package.json'), asJson(mainManifest()))
  setModes(folder)
}

/** Lays out a platform's package in `folder` as it is published, with the binary at `binary`. */
export function stagePlatform(platform, binary, folder) {
  rmSync(folder, { recursive: true, force: true })
  cpSync(path.join(root, 'npm', platform.host), folder, { recursive: true })
  const manifest = withRepository(platformManifest(platform))
  writeFileSync(path.join(folder, 'package.json'), asJson(manifest))
  copyFileSync(binary, path.join(folder, platform.file))
  setModes(folder)
}

/** A tarball holds the modes, which are not to depend on who packs it. */
function setModes(folder) {
  for (const file of readdirSync(folder, { recursive: true }).map((name) => path.join(folder, name))) {
    chmodSync(file, statSync(file).mode & 0o100 ? 0o755 : 0o644)
  }
}

/** The files of a platform's folder under `npm/`, by name. */
export function platformFiles(platform) {
  return {
    'package.json': asJson(platformManifest(platform)),
    'README.md': platformReadme(platform),
    LICENSE: readFileSync(path.join(root, 'LICENSE'), 'utf8')
  }
}
