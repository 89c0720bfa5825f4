/** What a person has left, from what the API says of them. */
import type { types } from '#sdk/portal.ts'

type Account = Pick<types.PortalAccount, 'balance'>
type Pool = types.Subscription['pools'][number]

export interface Means {
  /** All that is counted in money: the balance, and what plans include of it. */
  readonly totalMicros: bigint
  readonly balanceMicros: bigint
  /** Allotments in money, with what is left of each. */
  readonly included: readonly { readonly name: string; readonly slug: string; readonly leftMicros: bigint }[]
}

export function meansOf({ balance }: Account, subscription: Pick<types.Subscription, 'pools'> | null): Means {
  const included = (subscription?.pools ?? [])
    .filter(({ unit }) => unit === 'micros')
    .map((pool) => ({ name: pool.displayName, slug: pool.slug, leftMicros: leftOf(pool) }))
  const balanceMicros = BigInt(balance.availableMicros)
  return {
    totalMicros: included.reduce((sum, { leftMicros }) => sum + leftMicros, balanceMicros),
    balanceMicros,
    included,
  }
}

/** In the unit of the pool; never less than nothing. */
export function leftOf({ consumed, granted }: Pick<Pool, 'consumed' | 'granted'>): bigint {
  const left = BigInt(granted) - BigInt(consumed)
  return left > 0n ? left : 0n
}

export interface Stop {
  /** What can be used until calls are stopped; null: nothing bounds it. */
  readonly leftMicros: bigint | null
  readonly onDemandLeftMicros: bigint | null
  /** The limit of the plan or of the end user that stops calls before the money does; null: the money comes first. */
  readonly limit: SpendLimit | null
}

type SpendLimit = types.PortalAccount['limits'][number]

/** Where requests will be stopped: at the end of the money and of on-demand, or at a limit if that comes first. */
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

/** The limit of the plan, then those of the end user. */
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
