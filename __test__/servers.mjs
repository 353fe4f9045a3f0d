// Servers on loopback, which end with the tests that started them.

import { once } from 'node:events'
import { after } from 'node:test'

const servers = []
after(() => servers.forEach((server) => server.close()))

/** Lets the server listen, and resolves to its port. */
export async function listen(server, host = '127.0.0.1') {
  servers.push(server)
  server.listen(0, host)
  await once(server, 'listening')
  return server.address().port
}

/** Lets the server listen, and resolves to its URL. */
export async function urlOf(server) {
  return `http://127.0.0.1:${await listen(server)}`
}
