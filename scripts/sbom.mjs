// Writes the bill of materials of the addon, which holds all that a release is made of: the package has no other dependency.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { artifacts, asJson, name, root, version } from './packages.mjs'
import { run, tool } from './tools.mjs'

const cyclonedx = path.join(await tool('cargo-cyclonedx'), 'bin', 'cargo-cyclonedx')
const file = `${name}.cdx`
const how = ['--format', 'json', '--spec-version', '1.5', '--target', 'all', '--override-filename', file]
await run(cyclonedx, ['cyclonedx', ...how], root, { ...process.env, SOURCE_DATE_EPOCH: '0' })

const written = path.join(root, `${file}.json`)
// cargo knows the crate by its folder, and by no version.
const [crate] = /path\+file:[^" ]*?#[^" ]*@0\.0\.0/.exec(readFileSync(written, 'utf8'))
const bill = JSON.parse(readFileSync(written, 'utf8').replaceAll(crate, `pkg:npm/${name}@${version}`))
rmSync(written)
// The component is the package; the targets of the crate below it are no concern of its users.
Object.assign(bill.metadata.component, { version, purl: `pkg:npm/${name}@${version}`, components: undefined })
mkdirSync(artifacts, { recursive: true })
writeFileSync(path.join(artifacts, `${file}.json`), asJson(bill))
