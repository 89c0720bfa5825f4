import type { types } from '#sdk/portal.ts'

type Account = Pick<types.PortalAccount, 'balance'> & Partial<Pick<types.PortalAccount, 'team'>>
type Pool = types.Subscription['pools'][number]

export interface Means {
  /**
   * The balance, the plan's included credit, and the amount that a team can pay. A negative balance does not reduce the
   * other parts, because requests can still spend them.
   */
  readonly totalMicros: bigint
  readonly balanceMicros: bigint
  /** The remaining amount of each pool and, for a team member, of the team. */
  readonly included: readonly { readonly name: string; readonly slug: string; readonly leftMicros: bigint }[]
}

export function meansOf(
  { balance, team = null }: Account,
  subscription: Pick<types.Subscription, 'pools'> | null,
): Means {
  const pools = (subscription?.pools ?? [])
    .filter(({ unit }) => unit === 'micros')
    .map((pool) => ({ name: pool.displayName, slug: pool.slug, leftMicros: leftOf(pool) }))
  const ofTeam =
    team === null ? [] : [{ name: team.name, slug: 'team', leftMicros: BigInt(team.availableMicros) }]
  const ofTeamPools = (team?.pools ?? []).map(({ availableMicros, displayName, slug }) => ({
    name: displayName,
    slug: `team/${slug}`,
    leftMicros: BigInt(availableMicros),
  }))
  const included = [...pools, ...ofTeamPools, ...ofTeam]
  const balanceMicros = BigInt(balance.availableMicros)
  const ofBalance = included.length === 0 ? balanceMicros : atLeastNothing(balanceMicros)
  return {
    totalMicros: included.reduce((sum, { leftMicros }) => sum + leftMicros, ofBalance),
    balanceMicros,
    included,
  }
}

/** In the pool's unit, and never negative. */
export function leftOf({ consumed, granted }: Pick<Pool, 'consumed' | 'granted'>): bigint {
  const left = BigInt(granted) - BigInt(consumed)
  return left > 0n ? left : 0n
}

export interface Stop {
  /** Null means that spending has no limit. */
  readonly leftMicros: bigint | null
  readonly onDemandLeftMicros: bigint | null
  /** Null if the money is used up before any limit is reached. */
  readonly limit: SpendLimit | null
}

type SpendLimit = types.PortalAccount['limits'][number]

/** Requests are rejected when the money and on-demand billing are used up, or when a limit is reached. */
export function stopOf(
  { limits, onDemand, spendLimit }: Pick<types.PortalAccount, 'limits' | 'onDemand' | 'spendLimit'>,
  { totalMicros }: Pick<Means, 'totalMicros'>,
  { isBlocked = false }: { readonly isBlocked?: boolean } = {},
): Stop {
  const isOn = onDemand.enabled && !isBlocked
  const onDemandLeftMicros = !isOn
    ? 0n
    : onDemand.limitMicros === null
      ? null
      : atLeastNothing(BigInt(onDemand.limitMicros) - BigInt(onDemand.spentMicros))
  const money = onDemandLeftMicros === null ? null : atLeastNothing(totalMicros) + onDemandLeftMicros
  let leftMicros = money
  let limit: SpendLimit | null = null
  for (const each of limitsOf({ limits, spendLimit })) {
    const left = leftOfLimit(each)
    if (leftMicros !== null && left >= leftMicros) continue
    leftMicros = left
    limit = each
  }
  return { leftMicros, onDemandLeftMicros, limit }
}

export function limitsOf({
  limits,
  spendLimit,
}: Pick<types.PortalAccount, 'limits' | 'spendLimit'>): readonly SpendLimit[] {
  return [spendLimit ?? [], limits].flat()
}

/** Never negative. */
export function leftOfLimit({ limitMicros, spentMicros }: SpendLimit): bigint {
  return atLeastNothing(BigInt(limitMicros) - BigInt(spentMicros))
}

function atLeastNothing(amount: bigint): bigint {
  return amount > 0n ? amount : 0n
}
