// Run where the package was installed: 50 threads load it, one after the other and then all at once.

import assert from 'node:assert/strict'
import { Worker } from 'node:worker_threads'

const THREADS = 50

const smoke = () =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('smoke.mjs', import.meta.url), { stdout: true })
    worker.on('error', reject)
    worker.on('exit', resolve)
  })

for (let thread = 0; thread < THREADS; thread++) assert.equal(await smoke(), 0)
const codes = await Promise.all(Array.from({ length: THREADS }, smoke))
assert.deepEqual(codes, Array(THREADS).fill(0))
console.log('workers passed')
