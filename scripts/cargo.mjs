// The addon as cargo builds it.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { root } from './packages.mjs'

export const cargoHome = process.env.CARGO_HOME ?? path.join(homedir(), '.cargo')

/** Each function begins at a line of 32 bytes: else a tenth of a call's time hangs on where the linker happens to put it. */
const ALIGNED = '-Cllvm-args=-align-all-functions=5'

/**
 * Runs a build of the library and gives back the file of the addon. `cargo` is what runs it: cargo, or one of its kind.
 * `flags` are those of rustc.
 */
export function buildAddon(args, { cargo = 'cargo', flags = flagsOfUser(), env = process.env } = {}) {
  const printed = execFileSync(cargo, [...args, '--lib', '--message-format', 'json-render-diagnostics'], {
    cwd: root,
    env: { ...env, CARGO_ENCODED_RUSTFLAGS: [ALIGNED, ...flags].join('\x1f') },
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

function flagsOfUser() {
  return (process.env.RUSTFLAGS ?? '').split(' ').filter(Boolean)
}

/** The flags of rustc that put other paths for this machine's own: of cargo, of the crates it fetched, and of what is named. */
export function remapped({ crates, also }) {
  const sources = path.join(cargoHome, 'registry', 'src')
  const indexes = existsSync(sources) ? readdirSync(sources).map((index) => path.join(sources, index)) : []
  // The last prefix that fits counts.
  const prefixes = [[cargoHome, '/cargo'], ...indexes.map((index) => [index, crates]), ...also]
  return prefixes.map(([from, to]) => `--remap-path-prefix=${from}=${to}`)
}
