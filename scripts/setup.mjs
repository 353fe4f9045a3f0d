// Brings a fresh clone to where it can be built, and builds it. Does nothing twice.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import path from 'node:path'

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..')
const windows = process.platform === 'win32'

const NEEDED = [
  {
    what: `Node 20.17 or newer (this is ${process.versions.node})`,
    there: () => {
      const [major, minor] = process.versions.node.split('.').map(Number)
      return major > 20 || (major === 20 && minor >= 17)
    },
    get: 'https://nodejs.org, or your version manager: nvm install 22'
  },
  { what: 'npm', there: () => answers('npm'), get: 'it comes with Node: https://nodejs.org' },
  { what: 'cargo, the Rust compiler driver', there: () => answers('cargo'), get: 'https://rustup.rs' },
  {
    what: 'a C linker (cc)',
    there: () => windows || answers('cc'),
    get: 'apt-get install gcc, dnf install gcc, or xcode-select --install'
  }
]

function answers(command) {
  return spawnSync(command, ['--version'], { shell: windows, stdio: 'ignore' }).status === 0
}

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, shell: windows, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

/** Whether the installed tools are those of the lock file: npm leaves its own copy of it with them. */
function installed() {
  const lock = path.join(root, 'package-lock.json')
  const copy = path.join(root, 'node_modules', '.package-lock.json')
  return existsSync(copy) && statSync(copy).mtimeMs >= statSync(lock).mtimeMs
}

const missing = NEEDED.filter(({ there }) => !there())
for (const { what, get } of missing) console.error(`Missing: ${what}\n  get it: ${get}`)
if (missing.length > 0) process.exit(1)

if (!installed()) run('npm', ['ci', '--no-audit', '--no-fund'])
// cargo itself knows whether anything has to be built.
run('npm', ['run', '--silent', 'build'])
