// Publishes what artifacts/ has packed, the platform packages before the main one, which is no use without them. What the
// registry already has is left: a release that broke off can be run again. Arguments go to npm.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { artifacts, name, platforms, version } from './packages.mjs'

const { GITHUB_REF_NAME: tag = `v${version}` } = process.env
if (tag !== `v${version}`) throw new Error(`the tag is ${tag}, and package.json has version ${version}`)

for (const packageName of [...platforms.map((platform) => platform.package), name]) {
  const tarball = path.join(artifacts, `${packageName}-${version}.tgz`)
  if (!existsSync(tarball)) throw new Error(`${tarball} is missing`)
  const { status } = spawnSync('npm', ['view', `${packageName}@${version}`, 'version', '--prefer-online'], {
    stdio: 'ignore'
  })
  if (status === 0) console.log(`${packageName}@${version} is already published`)
  else execFileSync('npm', ['publish', tarball, '--access', 'public', ...process.argv.slice(2)], { stdio: 'inherit' })
}
