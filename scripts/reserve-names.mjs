// Publishes an empty version 0.0.0 of each package that the registry does not have: only of a package that exists can a
// workflow be made the trusted publisher. Run by hand, once, logged in to npm. Arguments go to npm.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { asJson, isPublished, license, packageNames } from './packages.mjs'

const folder = mkdtempSync(path.join(tmpdir(), 'bridge-admission-names-'))
try {
  writeFileSync(path.join(folder, 'README.md'), 'Nothing is in this version, which holds the name for the next.\n')
  for (const name of packageNames) {
    if (isPublished(name)) {
      console.log(`${name} is there`)
      continue
    }
    const manifest = { name, version: '0.0.0', description: 'A name that is held for the next version', license }
    writeFileSync(path.join(folder, 'package.json'), asJson(manifest))
    execFileSync('npm', ['publish', folder, '--access', 'public', ...process.argv.slice(2)], { stdio: 'inherit' })
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
