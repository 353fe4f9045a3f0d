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
    there: () => isAtLeast(process.versions.node, 20, 17),
    get: 'https://nodejs.org, or your version manager: nvm install 22'
  },
  { what: 'npm', there: () => answer('npm') !== undefined, get: 'it comes with Node: https://nodejs.org' },
  { what: 'cargo, with Rust 1.88 or newer', there: () => isAtLeast(answer('cargo'), 1, 88), get: 'https://rustup.rs' },
  {
    what: 'a C linker (cc)',
    there: () => windows || answer('cc') !== undefined,
    get: 'apt-get install gcc, dnf install gcc, or xcode-select --install'
  }
]

/** What the command says of its version; `undefined` where there is none. */
function answer(command) {
  const { status, stdout } = spawnSync(command, ['--version'], { shell: windows, encoding: 'utf8' })
  return status === 0 ? stdout : undefined
}

/** Whether the first version in the text is not older. */
function isAtLeast(text, major, minor) {
  const found = /(\d+)\.(\d+)/.exec(text ?? '')
  return found !== null && (Number(found[1]) > major || (Number(found[1]) === major && Number(found[2]) >= minor))
}

function run(what, command, args) {
  const { status } = spawnSync(command, args, { cwd: root, shell: windows, stdio: 'inherit' })
  if (status === 0) return
  console.error(
    `\nSet-up stopped: ${what} failed. What it printed above says why; it needs the registries of npm and Rust.`
  )
  process.exit(status ?? 1)
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

// Of older Node versions npm only warns; whoever runs in production still needs the tools to build.
if (!installed()) run('npm ci', 'npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'])
// cargo itself knows whether anything has to be built.
run('the build', 'npm', ['run', '--silent', 'build'])
