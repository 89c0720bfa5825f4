import type { Check } from '#operations/doctor/finding.ts'

const peopleMax = 20
const callsMax = 200
const entriesMax = 20

/** Whether balances equal the sum of their entries. `tollgate verify` checks all of them. */
export const ledger: Check = {
  name: 'ledger',
  looksAt: `The balances of ${peopleMax} people, those of the newest calls first, against the newest ${entriesMax} entries of each source; tollgate verify looks at everyone’s.`,
  async run({ application, mode, store }) {
    const recent = await store.diagnosis.recentPeople(application.id, mode, callsMax)
    const { differences } = await store.diagnosis.ledgerSample(recent.slice(0, peopleMax), mode, entriesMax)
    const [first] = differences
    if (first === undefined) return []
    return [
      {
        code: 'ledger_differs',
        severity: 'error',
        resource: { type: 'application', id: application.slug },
        message: `A balance is not what its entries add up to: ${first}${differences.length > 1 ? ` (and ${differences.length - 1} more)` : ''}.`,
        fix: {
          say: 'Run tollgate verify for the whole of it, stop what else writes to the store, and report it: nothing mends it by itself.',
          call: null,
        },
      },
    ]
  },
}
