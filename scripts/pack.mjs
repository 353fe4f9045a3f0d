// Packs what artifacts/ holds: the main package and a package for each binary there, as they are published, with their
// SHA-256 sums. With --all, a missing binary is an error.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { artifacts, name, platforms, stageMain, stagePlatform } from './packages.mjs'

/** What a tarball may weigh. */
const LARGEST_MAIN = 40_000
const stage = path.join(artifacts, 'packages')

function pack(folder) {
  const printed = execFileSync('npm', ['pack', '--json', '--pack-destination', artifacts], {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32'
  })
  const [packed] = Object.values(JSON.parse(printed))
  console.log(`${packed.filename}: ${packed.size} bytes, ${packed.entryCount} files`)
  return packed
}

const binaries = platforms.filter(({ file }) => existsSync(path.join(artifacts, file)))
if (process.argv.includes('--all') && binaries.length < platforms.length) {
  const missing = platforms.filter((platform) => !binaries.includes(platform))
  throw new Error(`no binary for ${missing.map(({ host }) => host).join(', ')}`)
}
for (const file of readdirSync(artifacts)) if (file.endsWith('.tgz')) rmSync(path.join(artifacts, file))

stageMain(path.join(stage, name))
const main = pack(path.join(stage, name))
if (main.size > LARGEST_MAIN) throw new Error(`${main.filename} has ${main.size} bytes, more than ${LARGEST_MAIN}`)

const tarballs = [main]
for (const platform of binaries) {
  const folder = path.join(stage, platform.package)
  stagePlatform(platform, path.join(artifacts, platform.file), folder)
  tarballs.push(pack(folder))
}

const sums = tarballs.map(({ filename }) => {
  const sum = createHash('sha256')
    .update(readFileSync(path.join(artifacts, filename)))
    .digest('hex')
  return `${sum}  ${filename}\n`
})
writeFileSync(path.join(artifacts, 'SHA256SUMS'), sums.join(''))
