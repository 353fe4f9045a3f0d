// The addon as cargo builds it.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { root } from './packages.mjs'

export const cargoHome = process.env.CARGO_HOME ?? path.join(homedir(), '.cargo')

/** Runs a build of the library and gives back the file of the addon. `cargo` is what runs it: cargo, or one of its kind. */
export function buildAddon(args, { cargo = 'cargo', env = process.env } = {}) {
  const printed = execFileSync(cargo, [...args, '--lib', '--message-format', 'json-render-diagnostics'], {
    cwd: root,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit']
  })
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ reason, target }) => reason === 'compiler-artifact' && target.kind.includes('cdylib'))
    .flatMap(({ filenames }) => filenames)
    .find((name) => /\.(so|dylib|dll)$/.test(name))
}

/** The flags of rustc that put other paths for this machine's own: of cargo, of the crates it fetched, and of what is named. */
export function remapped({ crates, also }) {
  const sources = path.join(cargoHome, 'registry', 'src')
  const indexes = existsSync(sources) ? readdirSync(sources).map((index) => path.join(sources, index)) : []
  // The last prefix that fits counts.
  const prefixes = [[cargoHome, '/cargo'], ...indexes.map((index) => [index, crates]), ...also]
  return prefixes.map(([from, to]) => `--remap-path-prefix=${from}=${to}`)
}
