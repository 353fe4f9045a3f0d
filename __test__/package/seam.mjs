// Run where the package was installed: it asks a bridge on loopback over HTTP, whatever proxy the environment names.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { bridgeAdmissionRefusal } from 'bridge-admission'

const asked = []
const bridge = createServer(({ method, url, headers }, response) => {
  asked.push([method, url, headers.authorization])
  response.end('{"executor":{"in_flight":4,"max":4}}')
}).listen(0, '127.0.0.1')
await once(bridge, 'listening')

const bridgeUrl = `http://127.0.0.1:${bridge.address().port}`
assert.equal(
  await bridgeAdmissionRefusal({ bridgeUrl, bridgeBearer: 'sesame' }),
  `bridge ${bridgeUrl} executor is full: in_flight 4 of max 4`
)
assert.deepEqual(asked, [['GET', '/health', 'Bearer sesame']])
bridge.close()
console.log('seam passed')
