import type { PoolSource, TeamPoolSource, TeamSource } from '#money/decision-types.ts'
import type { OwnedPool } from '#money/plan-pools.ts'
import {
  bigintIn,
  bigintOrNullIn,
  flagIn,
  numberIn,
  numberOrNullIn,
  type SqlRow,
  textIn,
  textOrNullIn,
  wordIn,
} from './read-row-strictly.ts'
import { rolloverIn } from './bundle-include-columns.ts'
import { stringsFromText } from './json-columns.ts'

/** @param planId ID of the end user's bundle */
export function ownedPoolOf(row: SqlRow, planId: string | null): OwnedPool {
  const bundleId = textOrNullIn(row, 'bundle_id')
  const endsAtMs = numberOrNullIn(row, 'ends_at_ms')
  const priceMicros = bigintOrNullIn(row, 'price_micros')
  return {
    source: {
      kind: 'pool',
      id: textIn(row, 'id'),
      posted: bigintIn(row, 'posted'),
      held: bigintIn(row, 'held'),
      slug: textIn(row, 'slug'),
      unit: wordIn(row, 'unit', ['micros', 'credits']),
      currency: textOrNullIn(row, 'currency'),
      granted: bigintIn(row, 'granted'),
      withheld: bigintIn(row, 'withheld'),
      expired: bigintIn(row, 'expired'),
      isSuspended: bundleId !== null && bundleId !== planId,
      rank: {
        models: numberIn(row, 'rank_models'),
        endsAtMs: endsAtMs ?? Number.MAX_SAFE_INTEGER,
        isPaid: priceMicros !== null && priceMicros > 0n,
        sequence: numberIn(row, 'sequence'),
      },
      models: stringsFromText(textIn(row, 'models')),
      memberCap: bigintOrNullIn(row, 'member_cap'),
      spilloverTo: textOrNullIn(row, 'spillover_to'),
      thenOnDemand: flagIn(row, 'then_on_demand'),
      startsAtMs: numberIn(row, 'starts_at_ms'),
      endsAtMs,
    },
    bundleId,
    displayName: textIn(row, 'display_name'),
    recurring: flagIn(row, 'recurring'),
    rollover: rolloverIn(row),
    rolled: numberOrNullIn(row, 'rolled') ?? 0,
    priceMicros,
  }
}

/** The share pays nothing until the payer's wallet is read (ledger/member-shares-of-payer-money.ts). */
export function shareOf(
  balance: Pick<TeamSource, 'id' | 'posted' | 'held'>,
  month: Pick<TeamSource, 'startsAtMs' | 'endsAtMs'>,
): TeamSource {
  const wallet = { posted: 0n, held: 0n, given: 0n }
  return { kind: 'team', ...balance, ...month, isOpen: false, capMicros: null, wallet }
}

/** The share pays nothing until the payer's pool is read (ledger/member-shares-of-payer-money.ts). */
export function poolShareOf(
  balance: Pick<TeamPoolSource, 'id' | 'posted' | 'held'>,
  { endsAtMs, startsAtMs }: Pick<PoolSource, 'startsAtMs' | 'endsAtMs'>,
): TeamPoolSource {
  return { kind: 'team_pool', ...balance, startsAtMs, endsAtMs, isOpen: false, pool: null }
}
