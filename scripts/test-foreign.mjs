// Builds packages for Linux hosts that this machine is not, an x64 Debian, and runs their smoke tests there: with `arm64` under
// qemu, with `musl` on a Node that is linked with it, for arm64 under qemu too. Nothing is installed.

import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { compilerFor, nodeFor } from './foreign.mjs'
import { artifacts, name, platforms, root, version } from './packages.mjs'
import { run } from './tools.mjs'

const HOSTS = { arm64: ['linux-arm64-gnu'], musl: ['linux-x64-musl', 'linux-arm64-musl'] }
const LOADED = `require('${name}'); console.log(Object.keys(require.cache).filter((file) => file.endsWith('.node')).join())`

const [kind] = process.argv.slice(2)
const target = path.join(root, 'target', kind)
const tested = platforms.filter(({ host }) => HOSTS[kind].includes(host))
const built = platforms.filter((platform) => tested.some((other) => besides(other).includes(platform)))

await run(process.execPath, [script('build-release.mjs'), ...built.map(({ host }) => host)], root, {
  ...process.env,
  RUSTC: await compilerFor(tested[0].libc),
  CARGO_TARGET_DIR: target
})
await run(process.execPath, [script('pack.mjs')])
for (const platform of tested) await test(platform)

async function test(platform) {
  const folder = path.join(target, 'user', platform.host)
  rmSync(folder, { recursive: true, force: true })
  for (const packed of [name, ...besides(platform).map((row) => row.package)]) {
    const into = path.join(folder, 'node_modules', packed)
    mkdirSync(into, { recursive: true })
    execFileSync('tar', ['-xzf', path.join(artifacts, `${packed}-${version}.tgz`), '-C', into, '--strip-components=1'])
  }
  // Without one of its own, the folder would belong to this package, which finds itself by its name.
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n')

  const [command, ...args] = await nodeFor(platform)
  const node = (...more) => execFileSync(command, [...args, ...more], { cwd: folder, encoding: 'utf8' }).trim()
  const loaded = path.basename(node('-e', LOADED))
  if (loaded !== platform.file) throw new Error(`on ${platform.host} it loads ${loaded}`)
  console.log(`Node ${node('-p', 'process.version')} loads ${loaded}`)
  for (const file of ['smoke.mjs', 'seam.mjs', 'workers.mjs']) {
    copyFileSync(path.join(root, '__test__', 'package', file), path.join(folder, file))
    await run(command, [...args, file], folder)
  }
}

/** What is installed where the test runs: with musl's package also that for glibc, which is tried first and must not load. */
function besides(platform) {
  if (platform.libc === 'glibc') return [platform]
  return platforms.filter((other) => other.platform === platform.platform && other.arch === platform.arch)
}

function script(file) {
  return path.join(root, 'scripts', file)
}
