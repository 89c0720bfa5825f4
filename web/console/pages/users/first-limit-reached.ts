import type { UserLimit, UserLimits } from '#sdk/generated/types.ts'

export interface Bound {
  readonly by: 'sources' | 'bundle_limit' | 'end_user_limit'
  /** Null for the combination of pools, wallet and on-demand billing. */
  readonly id: string | null
  /** Never negative. Null if spending is not limited. */
  readonly leftMicros: bigint | null
}

export interface InForce {
  readonly first: Bound
  /** Key caps and the total limit of portal keys, if they leave less than `first`. */
  readonly tighterKeys: readonly {
    readonly kind: UserLimit['kind']
    readonly id: string
    readonly name: string
    readonly leftMicros: bigint
  }[]
}

/** If several keys have the same name, adds the end of the ID to each name. */
export function toldApart(limits: readonly UserLimit[]): readonly UserLimit[] {
  const isKey = ({ kind }: UserLimit): boolean => kind === 'key_cap'
  const ofName = Map.groupBy(limits.filter(isKey), ({ name }) => name)
  return limits.map((limit) =>
    isKey(limit) && (ofName.get(limit.name)?.length ?? 0) > 1
      ? { ...limit, name: `${limit.name} (…${limit.id.slice(-6)})` }
      : limit,
  )
}

/**
 * Pools, wallet and on-demand billing pay one after the other, so together they count as one limit. The limit of the
 * plan, each limit of the end user, and the cap of a key are further limits.
 */
export function limitsInForce({
  limits,
  onDemandBlockedSince,
  pace,
}: Pick<UserLimits, 'limits' | 'onDemandBlockedSince'> & {
  readonly pace: Pick<UserLimits['pace'], 'availableMicros'>
}): InForce {
  const sources = sourcesLeft(limits, onDemandBlockedSince !== null, BigInt(pace.availableMicros))
  let first: Bound = { by: 'sources', id: null, leftMicros: sources }
  for (const { availableUnits, id, kind } of limits) {
    if (kind !== 'bundle_limit' && kind !== 'end_user_limit') continue
    const leftMicros = atLeastZero(BigInt(availableUnits ?? '0'))
    if (first.leftMicros !== null && leftMicros >= first.leftMicros) continue
    first = { by: kind === 'bundle_limit' ? 'bundle_limit' : 'end_user_limit', id, leftMicros }
  }
  const tighterKeys = limits
    .filter(({ kind }) => kind === 'key_cap' || kind === 'portal_total')
    .map(({ availableUnits, id, kind, name }) => ({
      kind,
      id,
      name,
      leftMicros: atLeastZero(BigInt(availableUnits ?? '0')),
    }))
    .filter(({ leftMicros }) => first.leftMicros === null || leftMicros < first.leftMicros)
  return { first, tighterKeys }
}

/** @param have amount that can be spent without on-demand billing */
function sourcesLeft(limits: readonly UserLimit[], isBlocked: boolean, have: bigint): bigint | null {
  const overage = limits.find(({ kind }) => kind === 'on_demand')
  if (overage === undefined || isBlocked) return have
  return overage.availableUnits === null ? null : have + atLeastZero(BigInt(overage.availableUnits))
}

/** Each shown limit takes a part of the page, and an end user may have thousands of keys. */
const keysMax = 20

/** @param rank of the limits of many keys, only those with the highest ranks are shown */
export function withoutManyKeys<Limit>(
  limits: readonly Limit[],
  { isOfKey, rank }: { readonly isOfKey: (limit: Limit) => boolean; readonly rank: (limit: Limit) => number },
): { readonly shown: readonly Limit[]; readonly hidden: number } {
  const ofKeys = limits.filter(isOfKey)
  const kept = new Set(ofKeys.toSorted((one, other) => rank(other) - rank(one)).slice(0, keysMax))
  return {
    shown: limits.filter((limit) => !isOfKey(limit) || kept.has(limit)),
    hidden: ofKeys.length - kept.size,
  }
}

function atLeastZero(micros: bigint): bigint {
  return micros < 0n ? 0n : micros
}
