/** Money that no plan gives: for the wallet, or as credit that ends. */
import { assertMoney } from './amount.ts'
import { entryPosting, type LedgerKind, type Posting } from './posting.ts'
import type { OwnedPool } from './plan-pools.ts'
import { creditPrefix } from './sources.ts'

/** Money for the wallet. A wallet below 0 pays its debt with it. */
export function creditWallet(
  walletId: string,
  amountMicros: bigint,
  entry: Extract<LedgerKind, 'topup' | 'grant'>,
): Posting {
  assertMoney(amountMicros > 0n, 'creditWallet: at least one micro')
  return entryPosting(walletId, 'micros', amountMicros, entry)
}

/** A payment that was taken back (a chargeback): the wallet may owe from now on. Once per top-up. */
export function reverseTopup(walletId: string, amountMicros: bigint): Posting {
  assertMoney(amountMicros > 0n, 'reverseTopup: at least one micro')
  return entryPosting(walletId, 'micros', -amountMicros, 'reversal', true)
}

/**
 * Credit that ends, as a pool of no plan: it pays after the pools of the plan and before the wallet, the soonest to
 * end first. Its balance is 0; the grant is posted on it.
 * @param sequence orders credit that ends at the same time
 */
export function endingCredit({
  amountMicros,
  endsAtMs,
  grantId,
  sequence,
  startsAtMs,
}: {
  readonly grantId: string
  readonly amountMicros: bigint
  readonly startsAtMs: number
  readonly endsAtMs: number
  readonly sequence: number
}): OwnedPool {
  assertMoney(amountMicros > 0n, 'endingCredit: at least one micro')
  assertMoney(startsAtMs < endsAtMs, 'endingCredit: it begins before it ends')
  return {
    source: {
      kind: 'pool',
      id: creditPrefix + grantId,
      slug: grantId,
      unit: 'micros',
      currency: null,
      posted: 0n,
      held: 0n,
      granted: amountMicros,
      withheld: 0n,
      expired: 0n,
      isSuspended: false,
      rank: { models: Number.MAX_SAFE_INTEGER, endsAtMs, isPaid: false, sequence },
      models: ['*'],
      spilloverTo: null,
      thenOnDemand: true,
      startsAtMs,
      endsAtMs,
    },
    bundleId: null,
    displayName: 'Credit',
    recurring: false,
    rollover: null,
    rolled: 0,
    priceMicros: null,
  }
}
