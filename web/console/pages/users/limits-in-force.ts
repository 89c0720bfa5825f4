/** What of all that bounds a person's spending stops them first. */
import type { UserLimit, UserLimits } from '#sdk/generated/types.ts'

export interface Bound {
  readonly by: 'sources' | 'bundle_limit'
  /** What can be spent at most until it binds; null: there is no bound. Never below zero. */
  readonly leftMicros: bigint | null
}

export interface InForce {
  /** The bound of any key. */
  readonly first: Bound
  /** Keys whose cap leaves less than that. */
  readonly tighterKeys: readonly { readonly id: string; readonly name: string; readonly leftMicros: bigint }[]
}

/**
 * Pools, wallet and overage pay one after the other, so together they are one bound; the limit of the plan and the
 * cap of a key each are one more, and the least of them binds first.
 */
export function limitsInForce({
  limits,
  onDemandBlockedSince,
  pace,
}: Pick<UserLimits, 'limits' | 'onDemandBlockedSince'> & {
  readonly pace: Pick<UserLimits['pace'], 'availableMicros'>
}): InForce {
  const sources = sourcesLeft(limits, onDemandBlockedSince !== null, BigInt(pace.availableMicros))
  const ofBundle = limits.find(({ kind }) => kind === 'bundle_limit')
  const bundleLeft = ofBundle ? atLeastZero(BigInt(ofBundle.availableUnits ?? '0')) : null
  const first: Bound =
    bundleLeft !== null && (sources === null || bundleLeft < sources)
      ? { by: 'bundle_limit', leftMicros: bundleLeft }
      : { by: 'sources', leftMicros: sources }
  const tighterKeys = limits
    .filter(({ kind }) => kind === 'key_cap')
    .map(({ availableUnits, id, name }) => ({
      id,
      name,
      leftMicros: atLeastZero(BigInt(availableUnits ?? '0')),
    }))
    .filter(({ leftMicros }) => first.leftMicros === null || leftMicros < first.leftMicros)
  return { first, tighterKeys }
}

/** @param have what pays without overage */
function sourcesLeft(limits: readonly UserLimit[], isBlocked: boolean, have: bigint): bigint | null {
  const overage = limits.find(({ kind }) => kind === 'on_demand')
  if (overage === undefined || isBlocked) return have
  return overage.availableUnits === null ? null : have + atLeastZero(BigInt(overage.availableUnits))
}

function atLeastZero(micros: bigint): bigint {
  return micros < 0n ? 0n : micros
}
