// The answers of the function that this one replaces, on bodies without an executor block, letter for letter.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bridgeAdmissionRefusal } from '../index.js'

const bulkFull = 'bridge bulk admission is full: active 6 of bulkMaxActive 6'
const overallFull = 'bridge admission is full: active 8 of maxActive 8'

/** The admission lane of a body, and what the function said. */
const ANSWERS = [
  [undefined, undefined],
  [null, undefined],
  ['full', undefined],
  [[], undefined],
  [{}, undefined],
  [{ active: 8 }, undefined],
  [{ maxActive: 8 }, undefined],
  [{ active: 7, maxActive: 8 }, undefined],
  [{ active: 8, maxActive: 8 }, overallFull],
  [{ active: 9, maxActive: 8 }, 'bridge admission is full: active 9 of maxActive 8'],
  [{ active: 0, maxActive: 0 }, undefined],
  [{ active: 8, maxActive: -8 }, undefined],
  [{ active: -1, maxActive: 8 }, undefined],
  [{ active: '8', maxActive: 8 }, undefined],
  [{ active: 8, maxActive: '8' }, undefined],
  [{ active: null, maxActive: 8 }, undefined],
  [{ active: true, maxActive: 1 }, undefined],
  [{ active: NaN, maxActive: 8 }, undefined],
  [{ active: 8, maxActive: Infinity }, undefined],
  [{ active: Infinity, maxActive: 8 }, undefined],
  [
    { active: 6, maxActive: 8, bulkMaxActive: 6, activeByClass: { bulk: 6 } },
    `${bulkFull} (total active 6 of maxActive 8)`
  ],
  [{ active: 7, maxActive: 8, bulkMaxActive: 6, activeByClass: { bulk: 5 } }, undefined],
  [
    { active: 0, maxActive: 8, bulkMaxActive: 6, activeByClass: { bulk: 7 } },
    'bridge bulk admission is full: active 7 of bulkMaxActive 6 (total active 0 of maxActive 8)'
  ],
  [
    { active: 0, maxActive: 8, bulkMaxActive: 0, activeByClass: { bulk: 0 } },
    'bridge bulk admission is full: active 0 of bulkMaxActive 0 (total active 0 of maxActive 8)'
  ],
  // The total is told where both numbers are finite, whatever they are.
  [{ bulkMaxActive: 6, activeByClass: { bulk: 6 } }, bulkFull],
  [{ active: 6, bulkMaxActive: 6, activeByClass: { bulk: 6 } }, bulkFull],
  [{ maxActive: 8, bulkMaxActive: 6, activeByClass: { bulk: 6 } }, bulkFull],
  [{ active: '6', maxActive: 8, bulkMaxActive: 6, activeByClass: { bulk: 6 } }, bulkFull],
  [{ active: 6, maxActive: NaN, bulkMaxActive: 6, activeByClass: { bulk: 6 } }, bulkFull],
  [
    { active: 0, maxActive: 0, bulkMaxActive: 6, activeByClass: { bulk: 6 } },
    `${bulkFull} (total active 0 of maxActive 0)`
  ],
  [
    { active: -2, maxActive: -1, bulkMaxActive: 6, activeByClass: { bulk: 6 } },
    `${bulkFull} (total active -2 of maxActive -1)`
  ],
  // A bad bulk pair falls through to the overall pair.
  ...[
    { bulkMaxActive: '6', activeByClass: { bulk: 6 } },
    { bulkMaxActive: null, activeByClass: { bulk: 6 } },
    { bulkMaxActive: -1, activeByClass: { bulk: 6 } },
    { bulkMaxActive: NaN, activeByClass: { bulk: 6 } },
    { bulkMaxActive: 6, activeByClass: { bulk: '6' } },
    { bulkMaxActive: 6, activeByClass: { bulk: -6 } },
    { bulkMaxActive: 6, activeByClass: { bulk: null } },
    { bulkMaxActive: 6, activeByClass: { reserved: 6 } },
    { bulkMaxActive: 6, activeByClass: {} },
    { bulkMaxActive: 6, activeByClass: null },
    { bulkMaxActive: 6, activeByClass: [6] },
    { bulkMaxActive: 6, activeByClass: 'bulk' },
    { bulkMaxActive: 6 },
    { activeByClass: { bulk: 6 } }
  ].flatMap((bulk) => [
    [{ active: 8, maxActive: 8, ...bulk }, overallFull],
    [{ active: 7, maxActive: 8, ...bulk }, undefined],
    [bulk, undefined]
  ])
]

test('bodies without an executor block', () => {
  for (const [admission, answer] of ANSWERS) {
    for (const body of [{ admission }, { status: 'ok', admission, executor: null }, { admission, executor: {} }]) {
      assert.equal(bridgeAdmissionRefusal(body), answer, JSON.stringify(body))
    }
  }
})

test('the one deliberate difference: the bulk lane has room, reserved callers took the rest', () => {
  // The function that this one replaces did not look at the overall lane here, and the bridge queued the turn.
  const admission = { active: 8, maxActive: 8, bulkMaxActive: 6, activeByClass: { reserved: 3, bulk: 5 } }
  assert.equal(bridgeAdmissionRefusal({ admission }), overallFull)
})
