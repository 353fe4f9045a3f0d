// The packed tarballs, published to a registry and installed as users do: by each package manager into a fresh folder,
// without a compiler on the PATH, and run on each runtime.

import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import {
  artifacts,
  hostPlatform,
  name,
  packageNames,
  platforms,
  root,
  stagePlatform,
  version
} from '../../scripts/packages.mjs'
import { npmTool, tool } from '../../scripts/tools.mjs'
import { startRegistry } from './registry.mjs'

const host = hostPlatform()
const work = mkdtempSync(path.join(tmpdir(), 'bridge-admission-package-'))
const bin = path.join(work, 'bin')
const { platform, arch } = process
const { version: typescript } = createRequire(import.meta.url)('typescript/package.json')

let registry
/** The programs, each as the start of a command. */
const programs = { node: [process.execPath] }

before(async () => {
  mkdirSync(bin)
  symlinkSync(process.execPath, path.join(bin, 'node'))
  const npm = path.join(
    execFileSync('npm', ['root', '--global'], { encoding: 'utf8' }).trim(),
    'npm',
    'bin',
    'npm-cli.js'
  )
  programs.npm = [process.execPath, npm]
  programs.pnpm = [await npmTool(`@pnpm/exe.${platform}-${arch}/pnpm`)]
  programs.yarn = [process.execPath, await npmTool('@yarnpkg/cli-dist/bin/yarn.js')]
  programs.bun = [await npmTool(`@oven/bun-${platform}-${arch}/bin/bun`)]
  programs.deno = [await npmTool(`@deno/${platform}-${arch}-glibc/deno`)]

  registry = await startRegistry(path.join(work, 'registry'))
  await layOutRelease()
  await release('reserve-names.mjs')
  await release('publish.mjs')
})

/** A tree as the release has it, with a tarball for every platform. */
const tree = path.join(work, 'release')

async function layOutRelease() {
  for (const part of ['package.json', 'LICENSE', 'npm', 'scripts']) {
    cpSync(path.join(root, part), path.join(tree, part), { recursive: true })
  }
  const into = path.join(tree, 'artifacts')
  mkdirSync(into)
  await Promise.all(
    [{ package: name }, ...platforms].map(async (row) => {
      const tarball = `${row.package}-${version}.tgz`
      if (existsSync(path.join(artifacts, tarball))) {
        return copyFileSync(path.join(artifacts, tarball), path.join(into, tarball))
      }
      // Not built here: published all the same, so that it could arrive where it must not.
      const [binary, folder] = [path.join(work, row.file), path.join(work, row.package)]
      writeFileSync(binary, '')
      stagePlatform(row, binary, folder)
      await promisify(execFile)('npm', ['pack', folder, '--pack-destination', into])
    })
  )
}

/** Runs a script of the release. Resolves to the lines that it printed. */
async function release(script, env = {}) {
  const settings = { ...process.env, GITHUB_REF_NAME: `v${version}`, ...registry.env, ...env }
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(tree, 'scripts', script)], {
    env: settings
  })
  return stdout.trimEnd().split('\n')
}

after(async () => {
  await registry?.stop()
  rmSync(work, { recursive: true, force: true })
})

/** Runs a command in `folder`. Its PATH has Node and nothing else, its home is empty. Resolves to what it printed. */
async function run(folder, [command, ...args], env = {}) {
  const home = path.join(folder, '.home')
  const settings = { PATH: bin, HOME: home, CI: 'true', NO_COLOR: '1', ...env }
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd: folder, env: settings, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (error) reject(Object.assign(error, { message: `${error.message}\n${stdout}${stderr}`, stderr }))
      else resolve(stdout)
    })
  })
}

/** How each package manager is pointed to the registry, and how it adds a package. */
const yarn = (linker) => ({
  files: () => ({
    'yarn.lock': '',
    '.yarnrc.yml': [
      `npmRegistryServer: ${registry.url}`,
      'unsafeHttpWhitelist: [127.0.0.1]',
      `npmPreapprovedPackages: ['bridge-admission*']`,
      `nodeLinker: ${linker}`,
      'enableGlobalCache: false',
      // For .mjs files in a package that is not of the type module.
      'pnpEnableEsmLoader: true',
      'enableTelemetry: false',
      ''
    ].join('\n')
  }),
  add: () => [...programs.yarn, 'add']
})
const npmrc = () => ({ '.npmrc': `registry=${registry.url}\n` })
const MANAGERS = {
  npm: { files: npmrc, add: () => [...programs.npm, 'install'] },
  pnpm: {
    files: () => ({ ...npmrc(), 'pnpm-workspace.yaml': "minimumReleaseAgeExclude: ['bridge-admission*']\n" }),
    add: () => [...programs.pnpm, 'add']
  },
  'yarn, node-modules': yarn('node-modules'),
  'yarn, PnP': { ...yarn('pnp'), node: () => [...programs.yarn, 'node'] },
  bun: {
    files: () => ({ 'bunfig.toml': `[install]\nregistry = "${registry.url}"\n` }),
    add: () => [...programs.bun, 'add']
  }
}

/** A fresh folder in which a package manager has added the package. */
async function installed(manager, ...others) {
  const folder = realpathSync(mkdtempSync(path.join(work, 'user-')))
  const { files, add } = MANAGERS[manager]
  const all = { 'package.json': '{ "name": "user", "private": true }\n', ...files() }
  for (const [file, text] of Object.entries(all)) writeFileSync(path.join(folder, file), text)
  await run(folder, [...add(), name, ...others])
  for (const file of ['smoke.mjs', 'seam.mjs', 'workers.mjs', 'types.mts']) {
    copyFileSync(path.join(root, '__test__', 'package', file), path.join(folder, file))
  }
  return folder
}

test('a release that broke off is run again', async () => {
  assert.deepEqual(
    await release('publish.mjs'),
    packageNames.map((packageName) => `${packageName}@${version} is already published`)
  )
  assert.deepEqual(
    await release('reserve-names.mjs'),
    packageNames.map((packageName) => `${packageName} is there`)
  )
  await assert.rejects(release('publish.mjs', { GITHUB_REF_NAME: 'v0.0.9' }), {
    message: new RegExp(`Error: the tag is v0\\.0\\.9, and package\\.json has version ${version}`)
  })
})

test('no compiler is at hand', async () => {
  assert.deepEqual(readdirSync(bin), ['node'])
  for (const compiler of ['cargo', 'rustc', 'cc', 'gcc', 'clang', 'zig']) {
    await assert.rejects(run(work, [compiler, '--version']), { code: 'ENOENT' })
  }
})

describe('installed by', { concurrency: true }, () => {
  for (const [manager, { node = () => programs.node }] of Object.entries(MANAGERS)) {
    test(manager, async () => {
      // TypeScript finds its way through PnP only as a package that yarn has installed.
      const plugged = manager === 'yarn, PnP'
      const folder = await installed(manager, ...(plugged ? [`typescript@${typescript}`] : []))
      assert.equal(await run(folder, [...node(), 'smoke.mjs']), 'smoke passed\n')

      const entries = readdirSync(folder, { recursive: true }).filter((entry) => !entry.startsWith('.home'))
      const arrived = platforms.filter((row) => entries.some((entry) => path.basename(entry).startsWith(row.package)))
      assert.deepEqual(
        arrived.map((row) => row.host),
        [host.host]
      )

      for (const [module, resolution] of [
        ['nodenext', 'nodenext'],
        ['node16', 'node16'],
        ['esnext', 'bundler']
      ]) {
        const options = [
          '--noEmit',
          '--strict',
          '--target',
          'es2022',
          '--module',
          module,
          '--moduleResolution',
          resolution
        ]
        const tsc = plugged
          ? [...programs.yarn, 'tsc']
          : [...programs.node, path.join(root, 'node_modules/typescript/bin/tsc')]
        assert.equal(await run(folder, [...tsc, ...options, 'types.mts']), '')
      }
    })
  }
})

describe('run on', { concurrency: 2 }, () => {
  let folder
  before(async () => {
    folder = await installed('npm')
  })
  const RUNTIMES = {
    ...Object.fromEntries(
      [20, 22, 24, 26].map((major) => [
        `Node ${major}`,
        async () => [path.join(await tool(`node-${major}`), 'node_modules', `node-${platform}-${arch}`, 'bin', 'node')]
      ])
    ),
    Bun: () => programs.bun,
    Deno: () => [...programs.deno, 'run', '--allow-read', '--allow-ffi', '--allow-net']
  }
  // Nothing listens there, so that who asks it gets no answer.
  const PROXY = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '' }
  for (const [runtime, command] of Object.entries(RUNTIMES)) {
    test(runtime, async () => {
      assert.equal(await run(folder, [...(await command()), 'smoke.mjs']), 'smoke passed\n')
      assert.equal(await run(folder, [...(await command()), 'seam.mjs'], PROXY), 'seam passed\n')
      // Deno's threads print here as well.
      assert.match(await run(folder, [...(await command()), 'workers.mjs']), /(^|\n)workers passed\n$/)
    })
  }
})

test('bundled as an external', async () => {
  const folder = await installed('npm')
  const esbuild = [
    await npmTool(`@esbuild/${platform}-${arch}/bin/esbuild`),
    '--bundle',
    '--platform=node',
    `--external:${name}`
  ]
  const rolldown = [...programs.node, await npmTool('rolldown/bin/cli.mjs'), '--platform', 'node', '--external', name]
  await run(folder, [...esbuild, 'smoke.mjs', '--format=esm', '--outfile=esbuild.mjs'])
  await run(folder, [...rolldown, 'smoke.mjs', '--format', 'esm', '--file', 'rolldown.mjs'])
  for (const bundle of ['esbuild.mjs', 'rolldown.mjs']) {
    assert.equal(await run(folder, [...programs.node, bundle]), 'smoke passed\n')
  }
})

test('a file tracer, as serverless builds use it, finds the addon', async () => {
  const folder = await installed('npm')
  const { nodeFileTrace } = await import(await npmTool('@vercel/nft/out/index.js'))
  const { fileList } = await nodeFileTrace([path.join(folder, 'smoke.mjs')], { base: folder })
  assert(fileList.has(path.join('node_modules', host.package, host.file)))
})

describe('what a broken load says mends it', { concurrency: true }, () => {
  const says = (because, mend) =>
    `ERR_BRIDGE_ADMISSION_ADDON bridge-admission cannot load its addon on ${host.host}. ` +
    `Tried ${host.package}: ${because}. To mend it: ${mend}\n`

  /** A package manager's commands, and the runtime that asks for them. */
  const npm = { add: 'npm install --include=optional --save-optional', renew: () => 'npm ci --include=optional' }
  const yarn = { add: 'yarn add --optional', renew: (addon) => `rm -r ${addon} && yarn install` }
  const COMMANDS = {
    npm,
    pnpm: { add: 'pnpm add --save-optional', renew: () => 'pnpm ci' },
    'yarn, node-modules': yarn,
    'yarn, PnP': { ...yarn, node: () => [...programs.yarn, 'node'] },
    bun: { add: 'bun add --optional', renew: () => 'bun install --force', node: () => programs.bun }
  }

  /** An installation, what loading it prints, and where its addon's package lies. */
  async function loaded(manager, node = () => programs.node) {
    const folder = await installed(manager)
    const script = `try { console.log(Object.keys(require('${name}')).length) } catch (e) { console.log(e.code, e.message) }`
    writeFileSync(path.join(folder, 'load.cjs'), script)
    const load = (command = node()) => run(folder, [...command, 'load.cjs'])
    assert.equal(await load(), '3\n')
    const file = readdirSync(folder, { recursive: true }).find((entry) => path.basename(entry) === host.file)
    return { folder, load, file: realpathSync(path.join(folder, file)) }
  }

  /** Does what the message says. */
  async function obey(folder, message) {
    for (const command of message.trim().split('To mend it: ')[1].split(' && ')) {
      const [program, ...args] = command.split(' ')
      if (program === 'rm') rmSync(args.at(-1), { recursive: true })
      else await run(folder, [...programs[program], ...args])
    }
  }

  for (const [manager, { add, renew, node }] of Object.entries(COMMANDS)) {
    test(`${manager}: the package is missing`, async () => {
      const { folder, load, file } = await loaded(manager, node)
      rmSync(path.dirname(file), { recursive: true })
      const message = await load()
      assert.equal(message, says('it is not installed', `${add} ${host.package}@${version}`))
      await obey(folder, message)
      assert.equal(await load(), '3\n')
    })

    test(`${manager}: the file is cut short`, async () => {
      const { folder, load, file } = await loaded(manager, node)
      // Not in place: it may be a link into the package manager's store.
      const bytes = readFileSync(file)
      rmSync(file)
      writeFileSync(file, bytes.subarray(0, bytes.length >> 1))
      const message = await load()
      assert.equal(message, says('its file is cut short', renew(path.dirname(file))))
      await obey(folder, message)
      assert.equal(await load(), '3\n')
    })

    test(`${manager}: the file is missing`, async () => {
      const { folder, load, file } = await loaded(manager, node)
      rmSync(file)
      const message = await load()
      assert.equal(message, says('it is incomplete', renew(path.dirname(file))))
      await obey(folder, message)
      assert.equal(await load(), '3\n')
    })
  }

  test('npm without a lock file: the file is missing', async () => {
    const { folder, load, file } = await loaded('npm')
    rmSync(path.join(folder, 'package-lock.json'))
    writeFileSync(path.join(folder, '.npmrc'), `registry=${registry.url}\npackage-lock=false\n`)
    rmSync(file)
    const message = await load()
    assert.equal(message, says('it is incomplete', `rm -r ${path.dirname(file)} && npm install --include=optional`))
    await obey(folder, message)
    assert.equal(await load(), '3\n')
  })

  test('Deno: without the permission for native code', async () => {
    const { load } = await loaded('npm')
    const deno = [...programs.deno, 'run', '--allow-read']
    assert.equal(await load(deno), says('Deno runs without --allow-ffi', 'deno run --allow-read --allow-ffi'))
    assert.equal(await load([...deno, '--allow-ffi']), '3\n')
  })
})
