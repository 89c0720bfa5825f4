import { assertMoney } from './amount.ts'
import type { PoolSource } from './decision-types.ts'
import { poolPosting, type Posting } from './posting.ts'

/**
 * Returns the postings that correct how much is withheld from the plan's pools. Nothing is withheld from sign-up pools.
 * Recurring pools withhold the amount that pools of other plans have paid in this period or hold for requests in
 * flight. Only pools in the same unit and currency count. The pool with the same slug withholds first, and then the
 * other pools in order, each up to its free amount.
 */
export function withheldPostings(
  here: readonly { readonly source: PoolSource; readonly recurring: boolean }[],
  elsewhere: readonly PoolSource[],
): Posting[] {
  const used = new Map<PoolSource, bigint>()
  for (const source of elsewhere) used.set(source, usedOf(source))
  const recurring = here.filter((pool) => pool.recurring).map(({ source }) => source)
  const withheld = new Map<PoolSource, bigint>()
  const take = (source: PoolSource, isFrom: (other: PoolSource) => boolean): void => {
    for (const [other, left] of used) {
      if (other.unit !== source.unit || other.currency !== source.currency || !isFrom(other)) continue
      const taken = withheld.get(source) ?? 0n
      const room = source.granted - usedOf(source) - source.expired - taken
      const more = left < room ? left : room
      withheld.set(source, taken + more)
      used.set(other, left - more)
    }
  }
  for (const source of recurring) take(source, ({ slug }) => slug === source.slug)
  for (const source of recurring) take(source, () => true)

  const postings: Posting[] = []
  for (const { source } of here) {
    const back = source.withheld - (withheld.get(source) ?? 0n)
    if (back > 0n) postings.push(poolPosting(source, back, 'adjustment', 'plan_changed'))
    if (back < 0n) postings.push(poolPosting(source, back, 'adjustment', 'used_on_another_plan'))
  }
  return postings
}

function usedOf({ expired, granted, held, posted, withheld }: PoolSource): bigint {
  const used = granted - posted - withheld - expired + held
  assertMoney(used >= 0n, 'no pool has more than it was granted')
  return used
}
