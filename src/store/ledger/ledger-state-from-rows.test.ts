import { expect, test } from 'vitest'
import { personOf } from './ledger-state-from-rows.ts'

test.each([
  [20n, 20n],
  [0n, 0n],
  [-5n, 0n],
])(
  'a positive wallet balance (%s) counts as granted if the store does not split the balance into granted and paid money',
  (posted, given) => {
    const row = { application_id: 'app_1', bundle_id: null, subscribed_at_ms: 0n, bundle_since_ms: null }
    const wallet = { id: 'wallet', kind: 'wallet', posted, held: 0n, given: null, last_entry: 1n }
    const { sources } = personOf('eu_1', 'live', row, undefined, [wallet])
    expect(sources).toEqual([{ kind: 'wallet', id: 'wallet', posted, held: 0n, given }])
  },
)
