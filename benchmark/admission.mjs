// The admission calls to be timed, and the proof that the baseline answers as the addon does.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { bridgeAdmissionRefusal } from '../index.js'
import * as baseline from './baseline.mjs'
import { healthText, KB } from './bodies.mjs'

const TESTS = new URL('../__test__/', import.meta.url)

const BODIES = [
  { name: '0.5 KB', size: KB / 2 },
  { name: '2 KB', size: 2 * KB },
  { name: '6 KB', size: 6 * KB },
  { name: '64 KB', size: 64 * KB },
  { name: '1 MB', size: KB * KB },
  { name: '64 KB, 4 long strings', size: 64 * KB, few: true },
  { name: '6 KB, é', size: 6 * KB, script: 'latin1' },
  { name: '6 KB, プ', size: 6 * KB, script: 'wide' },
  { name: '64 KB, プ', size: 64 * KB, script: 'wide' }
]

const FORMS = [
  { form: 'bytes', of: (text) => Buffer.from(text), baseline: baseline.refusalOfBytes },
  { form: 'text', of: (text) => text, baseline: baseline.refusalOfText },
  { form: 'object', of: (text) => JSON.parse(text), baseline: baseline.refusalOfObject }
]

/** Every body in every form, admitted and refused, as `timePairs` takes them. */
export function admissionCases() {
  return FORMS.flatMap(({ form, of, baseline }) =>
    BODIES.flatMap((body) =>
      [false, true].map((refused) => {
        const text = healthText({ ...body, refused })
        const expected = baseline(of(text))
        assert.equal(expected !== undefined, refused)
        return { body, form, refused, bytes: Buffer.byteLength(text), input: of(text), expected, addon, baseline }
      })
    )
  )
}

const addon = (health) => bridgeAdmissionRefusal(health)

/** Asks both about every worked case and every captured body, with every intent. Returns the number of comparisons. */
export function compareWithBaseline() {
  const intents = [1, 2, 4, 5].flatMap((slots) =>
    [undefined, 'bulk', 'reserved', 'none'].flatMap((lane) =>
      [undefined, 'host', 'scoped-host', 'none'].map((executor) => ({ slots, lane, executor }))
    )
  )
  const read = (path) => readFileSync(new URL(path, TESTS), 'utf8')
  const worked = read('cases/admission.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  for (const { id, health, health_text, health_file, slots, options, url, refusal } of worked) {
    const text = health_text ?? (health_file ? read(health_file) : JSON.stringify(health))
    let parsed
    try {
      parsed = JSON.parse(text)
    } catch {}
    assert.equal(baseline.refusalOfObject(parsed, { slots, ...options }, url) ?? null, refusal, id)
  }
  const captured = readdirSync(new URL('captures/', TESTS)).filter((name) => name.includes('health'))
  const texts = [
    ...worked.map(({ health, health_text }) => health_text ?? (health && JSON.stringify(health))).filter(Boolean),
    ...captured.map((name) => read(`captures/${name}`))
  ]
  let compared = 0
  for (const text of texts) {
    for (const intended of intents) {
      const expected = baseline.refusalOfText(text, intended)
      for (const health of [text, Buffer.from(text)]) {
        assert.equal(bridgeAdmissionRefusal(health, intended), expected, text)
        compared++
      }
    }
  }
  return compared
}
