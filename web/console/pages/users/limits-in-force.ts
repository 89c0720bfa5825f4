/** What of all that bounds a person's spending stops them first, and how long what they have lasts. */
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
export function limitsInForce(
  { limits, onDemandBlockedSince }: Pick<UserLimits, 'limits' | 'onDemandBlockedSince'>,
  walletMicros: bigint,
): InForce {
  const sources = sourcesLeft(limits, onDemandBlockedSince !== null, walletMicros)
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

function sourcesLeft(limits: readonly UserLimit[], isBlocked: boolean, walletMicros: bigint): bigint | null {
  const have = haveMicros(limits, walletMicros)
  const overage = limits.find(({ kind }) => kind === 'on_demand')
  if (overage === undefined || isBlocked) return have
  return overage.availableUnits === null ? null : have + atLeastZero(BigInt(overage.availableUnits))
}

export interface Pace {
  readonly perDayMicros: bigint
  /** Of how many days it is the mean. */
  readonly days: number
  /** How many days what they have lasts; null: nothing is spent. */
  readonly lastsDays: bigint | null
}

const dayMs = 86_400_000

/**
 * The mean of the days since they were made, at most those of `pace`; what they have are pools and wallet.
 * @param have what pays without overage
 */
export function paceOf(pace: UserLimits['pace'], createdAt: string, have: bigint): Pace {
  const fromMs = Math.max(Date.parse(pace.from), Math.floor(Date.parse(createdAt) / dayMs) * dayMs)
  const days = Math.max(1, Math.ceil((Date.parse(pace.to) - fromMs) / dayMs))
  const charged = BigInt(pace.chargedMicros)
  const perDayMicros = charged / BigInt(days)
  return {
    perDayMicros,
    days,
    lastsDays: charged === 0n ? null : (atLeastZero(have) * BigInt(days)) / charged,
  }
}

/** What pays without overage: the wallet, and pools of dollars. */
export function haveMicros(limits: readonly UserLimit[], walletMicros: bigint): bigint {
  let have = atLeastZero(walletMicros)
  for (const { availableUnits, kind, unit } of limits) {
    if (kind === 'pool' && unit === 'micros') have += atLeastZero(BigInt(availableUnits ?? '0'))
  }
  return have
}

function atLeastZero(micros: bigint): bigint {
  return micros < 0n ? 0n : micros
}
