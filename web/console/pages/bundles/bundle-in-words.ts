import { formatMicros } from '#sdk/money.ts'
import type { Bundle, BundleInclude } from '#sdk/generated/types.ts'
import { isAllowed } from '#money/model-name-pattern.ts'
import { moneyText } from '#web/ui/money-text.ts'
import { clientLeftLabels } from '../../providers/disconnect-setting-text.ts'

export function priceWords({
  interval,
  priceMicros,
}: Pick<Bundle, 'priceMicros' | 'interval'>): string | null {
  return priceMicros === null ? null : `${moneyText(priceMicros)} per ${interval}`
}

/** Such as `$5.00` or `250 sparks`. */
export function amountWords(
  { amount, unit }: Pick<BundleInclude, 'amount' | 'unit'>,
  creditCurrency: string | null,
): string {
  if (unit === 'micros') return moneyText(amount)
  return `${creditText(amount)} ${creditCurrency ?? 'credits'}`
}

/** Such as `250` or `0.5`. */
export function creditText(millionths: string): string {
  const [whole = '', decimals = ''] = formatMicros(millionths).replace('$', '').split('.')
  const kept = decimals.replace(/0+$/, '')
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
  return kept === '' ? grouped : `${grouped}.${kept}`
}

export function grantWords({ recurring, rollover }: Pick<BundleInclude, 'recurring' | 'rollover'>): string {
  if (!recurring) return 'once, at sign-up, and does not expire'
  return rollover === null
    ? 'every month, and expires at the end of the month'
    : `every month. ${rolloverWords(rollover)}, and the rest expires`
}

function rolloverWords({ percent, periodsMax }: NonNullable<BundleInclude['rollover']>): string {
  const times = periodsMax === 1 ? 'once' : `up to ${periodsMax} times`
  return `${percent}% of the unspent credit is carried over, ${times}`
}

export function spillWords({ spilloverTo, thenOnDemand }: BundleInclude): string {
  const wallet = thenOnDemand ? 'then the wallet and on-demand billing' : 'then requests are rejected'
  if (spilloverTo === null) return thenOnDemand ? 'the wallet and on-demand billing' : 'requests are rejected'
  const pool = spilloverTo === '*' ? 'the next pool' : `the pool ${spilloverTo}`
  return `${pool}, ${wallet}`
}

export function policyWords({
  maxOverdraftMicros,
  terminationPolicy,
}: Pick<Bundle, 'terminationPolicy' | 'maxOverdraftMicros'>): string {
  if (terminationPolicy === 'hard_token') return 'Streams stop when their hold is used up'
  if (terminationPolicy === 'complete_message')
    return 'Streams always finish. You pay for usage over the hold'
  if (terminationPolicy === 'grace')
    return `Streams can continue up to ${moneyText(maxOverdraftMicros)} over their hold, at your cost`
  return terminationPolicy
}

export function basisWords({ debitBasis }: Pick<Bundle, 'debitBasis'>): string {
  if (debitBasis === 'sell_price') return 'End users are charged the sell price'
  if (debitBasis === 'provider_cost') return 'End users are charged the provider price'
  return debitBasis
}

export const providerDefault = 'Use the provider account’s setting'

/** Null if the provider account's setting applies. */
export function leavingWords({ onClientLeft }: Pick<Bundle, 'onClientLeft'>): string | null {
  if (onClientLeft === null) return null
  return clientLeftLabels[onClientLeft === 'cut' ? 'cut' : 'drain']
}

export const gatewayDefault = 'Use the gateway’s setting'

/** Null if the gateway's setting applies. */
export function toolWords({ providerTools }: Pick<Bundle, 'providerTools'>): string | null {
  if (providerTools === null) return null
  return typeof providerTools === 'string'
    ? ((ruleWords as Record<string, string>)[providerTools] ?? providerTools)
    : 'A separate rule for each kind of tool'
}

export const ruleWords = {
  bounded: 'Send the tool with a maximum number of uses',
  drop: 'Remove the tool',
  refuse: 'Reject the request',
} as const

export function limitWords({
  spendLimitMicros,
  spendLimitPeriod,
}: Pick<Bundle, 'spendLimitMicros' | 'spendLimitPeriod'>): string | null {
  if (spendLimitMicros === null) return null
  const per = spendLimitPeriod === 'total' ? 'in total' : `per ${spendLimitPeriod}`
  return `${moneyText(spendLimitMicros)} ${per}`
}

export function reached(names: readonly string[], { allow, deny }: Pick<Bundle, 'allow' | 'deny'>): string[] {
  return names.filter((name) => isAllowed(name, allow, deny))
}
