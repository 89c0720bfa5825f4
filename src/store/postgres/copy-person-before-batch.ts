import type { RateUse } from '#money/rate-limit.ts'
import type { Person } from '#store/ledger/state-types.ts'

/** Copies the values that a batch changes in place, so that a failed batch leaves the remembered rows unchanged. */
export function copyOf(person: Person): Person {
  const cells = person.cells.map((cell) => ({ ...cell }))
  return {
    ...person,
    cells,
    sources: cells.map(({ source }) => source),
    uses: copyOfUses(person.uses),
    lineUses: new Map([...person.lineUses].map(([lineId, uses]) => [lineId, copyOfUses(uses)])),
    runs: new Map([...person.runs].map(([name, run]) => [name, { ...run }])),
    spends: new Map(
      [...person.spends].map(([spender, spends]) => [spender, spends.map((spend) => ({ ...spend }))]),
    ),
  }
}

function copyOfUses(uses: readonly RateUse[]): readonly RateUse[] {
  return uses.map((use) => ({ ...use, slots: use.slots.map((slot) => ({ ...slot })) }))
}
