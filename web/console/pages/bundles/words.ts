/** Describes a bundle in sentences. */
import { formatMicros } from '#sdk/money.ts'
import type { Bundle, BundleInclude } from '#sdk/generated/types.ts'
import { isAllowed } from '#money/name-pattern.ts'
import { moneyText } from '#web/ui/money-text.ts'

export function priceWords({
  interval,
  priceMicros,
}: Pick<Bundle, 'priceMicros' | 'interval'>): string | null {
  return priceMicros === null ? null : `${moneyText(priceMicros)} a ${interval}`
}

/** Formats the amount of one grant of an include: `$5.00` or `250 sparks`. */
export function amountWords(
  { amount, unit }: Pick<BundleInclude, 'amount' | 'unit'>,
  creditCurrency: string | null,
): string {
  if (unit === 'micros') return moneyText(amount)
  return `${creditText(amount)} ${creditCurrency ?? 'credits'}`
}

/** Millionths of a credit as credits: `250`, `0.5`. */
export function creditText(millionths: string): string {
  const [whole = '', decimals = ''] = formatMicros(millionths).replace('$', '').split('.')
  const kept = decimals.replace(/0+$/, '')
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
  return kept === '' ? grouped : `${grouped}.${kept}`
}

export function grantWords({ recurring }: Pick<BundleInclude, 'recurring'>): string {
  return recurring ? 'every month; what is left lapses' : 'once, at sign-up; it does not lapse'
}

/** Describes what pays after the pool is used up. */
export function spillWords({ spilloverTo, thenOnDemand }: BundleInclude): string {
  const wallet = thenOnDemand ? 'then the wallet and on-demand' : 'then calls are refused'
  if (spilloverTo === null) return thenOnDemand ? 'the wallet and on-demand' : 'nothing: calls are refused'
  const pool = spilloverTo === '*' ? 'whichever pool comes next' : `the pool ${spilloverTo}`
  return `${pool}, ${wallet}`
}

export function policyWords({
  maxOverdraftMicros,
  terminationPolicy,
}: Pick<Bundle, 'terminationPolicy' | 'maxOverdraftMicros'>): string {
  if (terminationPolicy === 'hard_token') return 'A stream stops when it has spent what was held for it'
  if (terminationPolicy === 'complete_message')
    return 'A stream is never cut; what it uses beyond its hold is your cost'
  if (terminationPolicy === 'grace')
    return `A stream may run ${moneyText(maxOverdraftMicros)} past its hold, at your cost`
  return terminationPolicy
}

export function basisWords({ debitBasis }: Pick<Bundle, 'debitBasis'>): string {
  if (debitBasis === 'sell_price') return 'People spend at the sell price'
  if (debitBasis === 'provider_cost') return 'People spend at what the provider charges'
  return debitBasis
}

/** Null if the provider account's setting applies. */
export function leavingWords({ onClientLeft }: Pick<Bundle, 'onClientLeft'>): string | null {
  if (onClientLeft === null) return null
  return onClientLeft === 'cut' ? 'The stream is stopped' : 'The stream is read on for its usage'
}

export function limitWords({
  spendLimitMicros,
  spendLimitPeriod,
}: Pick<Bundle, 'spendLimitMicros' | 'spendLimitPeriod'>): string | null {
  if (spendLimitMicros === null) return null
  const per = spendLimitPeriod === 'total' ? 'in all' : `a ${spendLimitPeriod}`
  return `${moneyText(spendLimitMicros)} ${per}`
}

/** Returns the existing names that the patterns match. */
export function reached(names: readonly string[], { allow, deny }: Pick<Bundle, 'allow' | 'deny'>): string[] {
  return names.filter((name) => isAllowed(name, allow, deny))
}
