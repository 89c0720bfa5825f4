/** Describes the effects of a plan change before it is made. */
import type { Bundle, Subscription } from '#sdk/generated/types.ts'
import { moneyText } from '#web/ui/money-text.ts'
import { periodWords, unitsText } from '../../units-text.ts'

export function priceWords({ interval, priceMicros }: Pick<Bundle, 'interval' | 'priceMicros'>): string {
  return priceMicros === null || priceMicros === '0' ? 'no price' : `${moneyText(priceMicros)} a ${interval}`
}

/** What happens, a sentence each. */
export function previewOf(
  wanted: Bundle,
  plan: Pick<Subscription, 'endsAt' | 'interval' | 'pools' | 'priceMicros'> | undefined,
  present: string | null,
): readonly string[] {
  if (plan && wanted.slug === present) {
    const isSame = (wanted.priceMicros ?? '0') === plan.priceMicros && wanted.interval === plan.interval
    return [
      isSame
        ? 'They are on it at this price already: nothing changes.'
        : `They are on it at another price; from now on it costs ${priceWords(wanted)}.`,
      ...(plan.endsAt === null ? [] : ['The cancellation is taken back.']),
    ]
  }
  const left = (plan?.pools ?? []).filter(({ consumed, granted }) => BigInt(granted) > BigInt(consumed))
  return [
    ...left.map(
      ({ consumed, displayName, granted, unit }) =>
        `${unitsText(BigInt(granted) - BigInt(consumed), unit)} left of ${displayName} is taken off, and returns with the plan.`,
    ),
    ...wanted.includes.map(
      ({ amount, displayName, recurring, unit }) =>
        `${unitsText(amount, unit)} of ${displayName} ${recurring ? 'each period' : 'once'}${recurring && plan ? ', less what other plans have paid in this one' : ''}.`,
    ),
    ...(wanted.includes.length === 0 ? ['It includes nothing: the wallet pays for every call.'] : []),
    wanted.spendLimitMicros === null
      ? 'It has no spend limit.'
      : `They may spend at most ${moneyText(wanted.spendLimitMicros)} ${periodWords(wanted.spendLimitPeriod)}.`,
    invoiceWords(wanted, plan),
    ...(plan && plan.endsAt !== null ? ['The cancellation is taken back.'] : []),
    'Wallet, keys and ledger stay.',
  ]
}

/** A more expensive plan is invoiced immediately. Any other plan is invoiced when the invoiced time ends. */
function invoiceWords(
  wanted: Bundle,
  plan: Pick<Subscription, 'interval' | 'priceMicros'> | undefined,
): string {
  const { interval, priceMicros } = wanted
  if (priceMicros === null || priceMicros === '0') return 'Nothing is invoiced.'
  const price = `It costs ${priceWords(wanted)}`
  const now = `${price}: an invoice comes now, for the days that are left of the period`
  if (!plan || plan.priceMicros === '0') return `${now}.`
  if (plan.interval !== interval) {
    return `${now}, less unused days of a plan that costs less a day; after one that costs more, at the end of what was invoiced.`
  }
  return BigInt(priceMicros) > BigInt(plan.priceMicros)
    ? `${now}, less the unused ones of the plan before.`
    : `${price}, from the end of what was invoiced already.`
}
