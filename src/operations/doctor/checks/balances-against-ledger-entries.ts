import type { Check } from './finding-types.ts'

const peopleMax = 20
const callsMax = 200
const entriesMax = 20

/** `tollgate verify` checks all end users. */
export const ledger: Check = {
  name: 'ledger',
  looksAt: `Balances of the ${peopleMax} end users who sent requests most recently. Each balance is compared with the last ${entriesMax} ledger entries of each source. tollgate verify checks all end users.`,
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
        message: `A balance does not equal the sum of its entries: ${first}${differences.length > 1 ? ` (and ${differences.length - 1} more)` : ''}.`,
        fix: {
          say: 'Run tollgate verify to check all balances, stop every other program that writes to the store, and report the difference. The server does not fix the difference automatically.',
          call: null,
        },
      },
    ]
  },
}
