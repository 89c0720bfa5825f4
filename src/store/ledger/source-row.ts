import assert from 'node:assert/strict'
import type { Person, SourceCell } from './book.ts'

/**
 * A new source as its row: end_user_id, mode, id, kind, unit, posted, held, last_entry, slug, display_name,
 * currency, granted, bundle_id, models, rank_models, is_paid, sequence, spillover_to, then_on_demand,
 * recurring, starts_at_ms, ends_at_ms.
 */
export function sourceValues(
  { endUserId, mode }: Person,
  { source, lastEntry, pool }: SourceCell,
): (string | number | bigint | null)[] {
  const { id, kind, posted, held } = source
  if (source.kind !== 'pool') {
    const [startsAtMs, endsAtMs] =
      source.kind === 'wallet' ? [null, null] : [source.startsAtMs, source.endsAtMs]
    const ofPools = [null, null, null, null, null, null, null, null, null, null, null, null]
    return [endUserId, mode, id, kind, 'micros', posted, held, lastEntry, ...ofPools, startsAtMs, endsAtMs]
  }
  assert(pool !== null, 'a pool says where it is from')
  const { rank } = source
  return [
    endUserId,
    mode,
    id,
    kind,
    source.unit,
    posted,
    held,
    lastEntry,
    source.slug,
    pool.displayName,
    source.currency,
    source.granted,
    pool.bundleId,
    JSON.stringify(source.models),
    rank.models,
    rank.isPaid ? 1 : 0,
    rank.sequence,
    source.spilloverTo,
    source.thenOnDemand ? 1 : 0,
    pool.recurring ? 1 : 0,
    source.startsAtMs,
    source.endsAtMs,
  ]
}
