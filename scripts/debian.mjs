// Packages of Debian, for x64 and arm64, unpacked into a folder. Nothing is installed, and apt's own lists stay as they are.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { run } from './tools.mjs'

/**
 * Unpacks groups of packages, each into a folder of its name in `into`. A name that ends in `*` goes on with a version, and
 * stands for what those before it in its group depend on. Other packages than this machine's Debian has are in `release`.
 */
export async function unpackDebian(into, groups, { release } = {}) {
  const apt = path.join(into, 'apt')
  const downloads = path.join(apt, 'downloads')
  for (const folder of ['state/lists/partial', 'cache/archives/partial', 'downloads']) {
    mkdirSync(path.join(apt, folder), { recursive: true })
  }
  const settings = [
    ...option('Dir::State', path.join(apt, 'state')),
    ...option('Dir::Cache', path.join(apt, 'cache')),
    ...option('Dir::State::status', '/var/lib/dpkg/status'),
    ...option('APT::Architectures::', 'amd64'),
    ...option('APT::Architectures::', 'arm64'),
    ...option('APT::Sandbox::User', 'root')
  ]
  const ask = (program, ...args) => execFileSync(program, [...settings, ...args], { encoding: 'utf8' })
  const get = (...args) => run('apt-get', [...settings, '--quiet', '--quiet', ...args], downloads)

  await get('update')
  if (release) {
    const from = ask('apt-get', 'indextargets', '--format', '$(REPO_URI)', 'Label: Debian', 'Created-By: Packages')
    const list = path.join(apt, 'sources.list')
    writeFileSync(list, `deb ${from.split('\n')[0]} ${release} main\n`)
    settings.push(...option('Dir::Etc::sourcelist', list), ...option('Dir::Etc::sourceparts', '/dev/null'))
    await get('update')
  }
  for (const [group, names] of Object.entries(groups)) {
    const packages = []
    for (const name of names) packages.push(name.endsWith('*') ? dependency(name.slice(0, -1), packages) : name)
    await get('download', ...packages)
    for (const file of readdirSync(downloads)) {
      execFileSync('dpkg', ['-x', path.join(downloads, file), path.join(into, group)])
      rmSync(path.join(downloads, file))
    }
  }
  rmSync(apt, { recursive: true })

  function dependency(start, packages) {
    const found = new RegExp(`Depends: (${start}\\d[\\d.]*)$`, 'm').exec(ask('apt-cache', 'depends', ...packages))
    if (!found) throw new Error(`none of ${packages.join(', ')} depends on ${start}*`)
    return found[1]
  }
}

function option(name, value) {
  return ['-o', `${name}=${value}`]
}
