import type { Bundle, Subscription } from '#sdk/generated/types.ts'
import { moneyText } from '#web/ui/money-text.ts'
import { periodWords, unitsText } from '../../prices/dollars-or-credits-text.ts'

export function priceWords({ interval, priceMicros }: Pick<Bundle, 'interval' | 'priceMicros'>): string {
  return priceMicros === null || priceMicros === '0'
    ? 'no price'
    : `${moneyText(priceMicros)} per ${interval}`
}

export function previewOf(
  wanted: Bundle,
  plan: Pick<Subscription, 'endsAt' | 'interval' | 'pools' | 'priceMicros'> | undefined,
  present: string | null,
): readonly string[] {
  if (plan && wanted.slug === present) {
    const isSame = (wanted.priceMicros ?? '0') === plan.priceMicros && wanted.interval === plan.interval
    return [
      isSame
        ? 'The end user is already on this plan at this price. Nothing changes.'
        : `The end user is on this plan at another price. From now on, the plan costs ${priceWords(wanted)}.`,
      ...(plan.endsAt === null ? [] : ['The cancellation is undone.']),
    ]
  }
  const left = (plan?.pools ?? []).filter(({ consumed, granted }) => BigInt(granted) > BigInt(consumed))
  return [
    ...left.map(
      ({ consumed, displayName, granted, unit }) =>
        `The remaining ${unitsText(BigInt(granted) - BigInt(consumed), unit)} of ${displayName} is removed, and restored if the end user returns to the current plan.`,
    ),
    ...wanted.includes.map(
      ({ amount, displayName, recurring, unit }) =>
        `The plan includes ${unitsText(amount, unit)} of ${displayName} ${recurring ? 'per period' : 'once'}${recurring && plan ? ', minus the amounts that other plans have already paid in this period' : ''}.`,
    ),
    ...(wanted.includes.length === 0
      ? ['The plan includes no credit. The wallet pays for all requests.']
      : []),
    wanted.spendLimitMicros === null
      ? 'The plan has no spend limit.'
      : `The end user can spend up to ${moneyText(wanted.spendLimitMicros)} ${periodWords(wanted.spendLimitPeriod)}.`,
    invoiceWords(wanted, plan),
    ...(plan && plan.endsAt !== null ? ['The cancellation is undone.'] : []),
    'The wallet balance, keys and ledger are kept.',
  ]
}

/** A more expensive plan is invoiced immediately. Any other plan is invoiced when the invoiced time ends. */
function invoiceWords(
  wanted: Bundle,
  plan: Pick<Subscription, 'interval' | 'priceMicros'> | undefined,
): string {
  const { interval, priceMicros } = wanted
  if (priceMicros === null || priceMicros === '0') return 'Nothing is invoiced.'
  const price = `The plan costs ${priceWords(wanted)}`
  const now = `${price}. An invoice is issued now for the remaining days of the period`
  if (!plan || plan.priceMicros === '0') return `${now}.`
  if (plan.interval !== interval) {
    return `${price}. If the plan costs more per day than the current plan, an invoice is issued now, less unused days of the current plan. Otherwise, the plan is invoiced when the invoiced period ends.`
  }
  return BigInt(priceMicros) > BigInt(plan.priceMicros)
    ? `${now}, less the unused days of the current plan.`
    : `${price}, starting after the period that is already invoiced.`
}
