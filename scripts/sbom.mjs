// Writes the bill of materials of the addon, which holds all that a release is made of: the package has no other dependency.

import { renameSync } from 'node:fs'
import path from 'node:path'
import { artifacts, root } from './packages.mjs'
import { run, tool } from './tools.mjs'

const cyclonedx = path.join(await tool('cargo-cyclonedx'), 'bin', 'cargo-cyclonedx')
const file = 'bridge-admission.cdx'
await run(cyclonedx, ['cyclonedx', '--format', 'json', '--spec-version', '1.5', '--target', 'all', '--override-filename', file], root, {
  ...process.env,
  SOURCE_DATE_EPOCH: '0'
})
renameSync(path.join(root, `${file}.json`), path.join(artifacts, `${file}.json`))
