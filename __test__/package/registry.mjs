// A real npm registry on 127.0.0.1 that holds the packed tarballs, and has all else from the registry that npm is
// configured for.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { npmTool } from '../../scripts/tools.mjs'

/** How long the registry may take to start, in ms. */
const START_MS = 60_000

/** Starts it, with its storage in `folder`. Resolves to `{ url, env, stop() }`: in the environment `env` npm publishes to it. */
export async function startRegistry(folder) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const config = path.join(folder, 'verdaccio.yaml')
  mkdirSync(folder, { recursive: true })
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  writeFileSync(config, configuration(path.join(folder, 'storage'), upstream))
  const verdaccio = await npmTool('verdaccio/bin/verdaccio')
  const server = spawn(process.execPath, [verdaccio, '--config', config, '--listen', `127.0.0.1:${port}`], {
    stdio: ['ignore', 'ignore', 'inherit']
  })
  await answers(url, server)
  const npmrc = path.join(folder, 'npmrc')
  writeFileSync(npmrc, `registry=${url}\n${url.slice('http:'.length)}:_authToken=any\n`)
  return {
    url,
    env: { npm_config_registry: url, npm_config_userconfig: npmrc },
    stop: async () => {
      server.kill()
      if (server.exitCode === null) await once(server, 'exit')
    }
  }
}

const configuration = (storage, upstream) => `
storage: ${JSON.stringify(storage)}
uplinks:
  upstream:
    url: ${JSON.stringify(upstream)}
    timeout: 60s
packages:
  'bridge-admission*':
    access: $all
    publish: $all
  '**':
    access: $all
    proxy: upstream
log: { type: stdout, level: fatal }
`

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

async function answers(url, server) {
  const end = Date.now() + START_MS
  while (Date.now() < end && server.exitCode === null) {
    const answer = await fetch(`${url}-/ping`).catch(() => undefined)
    if (answer?.ok) return
    await sleep(100)
  }
  server.kill()
  throw new Error('the registry did not start')
}
