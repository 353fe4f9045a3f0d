// The worked cases and the captured bodies, as the tests take them.

import { readFileSync } from 'node:fs'

/** The bytes of a file of this folder. */
export function bytesOf(name) {
  return readFileSync(new URL(name, import.meta.url))
}

/** The rows of a file of cases. */
export function casesOf(name) {
  return bytesOf(`cases/${name}`)
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}
