/** The truth about a call that was settled on a guess. */
import { assertMoney } from './amount.ts'
import { chargeOf, type Promised } from './charge.ts'
import { costOf } from './cost.ts'
import { entryPosting, type Posting } from './posting.ts'
import type { Usage } from './usage.ts'
import { basisPrice } from './worst-case.ts'

export interface LateTruth {
  /** Quote and worst case of the call, as its usage record keeps them. */
  readonly settled: Promised & { readonly chargeMicros: bigint }
  readonly usage: Usage
  readonly walletId: string
}

/**
 * The wallet's adjustment to what settle would have charged, with the same ceilings; null when the
 * guess was right. It is the wallet's whoever paid: a pool's period may be over, and one entry linked
 * to the call is what a person can follow. Once per call: the caller claims the usage record.
 */
export function adjustLate({ settled, usage, walletId }: LateTruth): Posting | null {
  assertMoney(settled.chargeMicros >= 0n, 'adjustLate: a charge is not negative')
  const micros = costOf(usage, basisPrice(settled.quote)).amount
  const owed = chargeOf({ micros, credits: 0n }, settled).micros
  assertMoney(owed <= micros, 'adjustLate: never more than was used')
  const difference = settled.chargeMicros - owed
  return difference === 0n ? null : entryPosting(walletId, 'micros', difference, 'adjustment', true)
}
