// Builds the addon for this host into the tree, where the face finds it before any package.

import { copyFileSync, renameSync } from 'node:fs'
import path from 'node:path'
import { buildAddon } from './cargo.mjs'
import { hostFile, root } from './packages.mjs'

const file = path.join(root, hostFile())
// Renamed into place: a process that has the old one loaded keeps it.
copyFileSync(buildAddon(['build', '--release']), `${file}.new`)
renameSync(`${file}.new`, file)
