// Writes the platform packages' folders under npm/ anew. __test__/package.test.mjs proves them fresh.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { platformFiles, platforms, root } from './packages.mjs'

rmSync(path.join(root, 'npm'), { recursive: true, force: true })
for (const platform of platforms) {
  const folder = path.join(root, 'npm', platform.host)
  mkdirSync(folder, { recursive: true })
  for (const [file, text] of Object.entries(platformFiles(platform))) writeFileSync(path.join(folder, file), text)
}
