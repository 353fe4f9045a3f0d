// The addon as cargo builds it.

import { execFileSync } from 'node:child_process'
import { root } from './packages.mjs'

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
