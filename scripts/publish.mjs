// Publishes what artifacts/ has packed. What the registry already has is left: a release that broke off can be run again.
// Arguments go to npm.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { artifacts, packageNames, publishedIntegrity, version } from './packages.mjs'

const { GITHUB_REF_NAME: tag = `v${version}` } = process.env
if (tag !== `v${version}`) throw new Error(`the tag is ${tag}, and package.json has version ${version}`)

// npm takes a prerelease only under a tag of its own.
const options = ['--access', 'public', ...(version.includes('-') ? ['--tag', 'next'] : []), ...process.argv.slice(2)]

for (const packageName of packageNames) {
  const tarball = path.join(artifacts, `${packageName}-${version}.tgz`)
  if (!existsSync(tarball)) throw new Error(`${tarball} is missing`)
  const spec = `${packageName}@${version}`
  const published = publishedIntegrity(spec)
  if (!published) execFileSync('npm', ['publish', tarball, ...options], { stdio: 'inherit' })
  else if (published === integrityOf(tarball)) console.log(`${spec} is already published`)
  else throw new Error(`${spec} is already published with other bytes: ${published}`)
}

function integrityOf(file) {
  return `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
}
