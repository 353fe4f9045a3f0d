// What is published: the package itself and one package for each platform. Everything is derived from package.json.

import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseTriple } from '@napi-rs/cli'

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..')
/** What a build leaves: the binaries, the staged packages, the tarballs. */
export const artifacts = path.join(root, 'artifacts')

const source = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
export const { name, version } = source

/** What only a clone needs. */
const UNPUBLISHED = ['scripts', 'napi', 'devDependencies']
const SYSTEMS = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' }
const LIBCS = { gnu: 'glibc', musl: 'musl' }

/** One row for each target of `napi.targets`: its triple, its name as in the packages' names, its package and file. */
export const platforms = source.napi.targets.map((triple) => {
  const { platform, arch, abi, platformArchABI: host } = parseTriple(triple)
  const libc = platform === 'linux' ? LIBCS[abi] : undefined
  return {
    triple,
    host,
    platform,
    arch,
    libc,
    package: `${name}-${host}`,
    file: `${source.napi.binaryName}.${host}.node`
  }
})

/** The platform of this process. */
export function hostPlatform() {
  const libc = process.platform === 'linux' ? hostLibc() : undefined
  return platforms.find((row) => row.platform === process.platform && row.arch === process.arch && row.libc === libc)
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
    license: source.license,
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
}

/** Lays out a platform's package in `folder` as it is published, with the binary at `binary`. */
export function stagePlatform(platform, binary, folder) {
  rmSync(folder, { recursive: true, force: true })
  cpSync(path.join(root, 'npm', platform.host), folder, { recursive: true })
  const manifest = withRepository(platformManifest(platform))
  writeFileSync(path.join(folder, 'package.json'), asJson(manifest))
  copyFileSync(binary, path.join(folder, platform.file))
}

/** The files of a platform's folder under `npm/`, by name. */
export function platformFiles(platform) {
  return {
    'package.json': asJson(platformManifest(platform)),
    'README.md': platformReadme(platform),
    LICENSE: readFileSync(path.join(root, 'LICENSE'), 'utf8')
  }
}
