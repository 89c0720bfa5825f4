import type { Life } from './topups-and-refunds-of-history.ts'
import type { Earning } from './naive-end-user-invoices.ts'

const dayMs = 86_400_000
const graceMs = 7 * dayMs

interface InvoiceShown {
  readonly id: string
  readonly number: number
  readonly status: 'open' | 'past_due' | 'paid' | 'void'
  readonly amountMicros: string
  readonly issuedAt: string
  readonly dueAt: string
  readonly lines: readonly {
    readonly kind: string
    readonly periodEnd: string
    readonly amountMicros: string
    readonly ledgerEntryId?: string
  }[]
}

export async function clearAnInvoice(life: Life): Promise<void> {
  const { model, random, world } = life
  const owed = (await invoicesOf(life)).filter(({ status }) => status === 'open' || status === 'past_due')
  if (owed.length === 0) return
  const isUsage = ({ lines }: InvoiceShown): boolean => lines.every(({ kind }) => kind === 'on_demand')
  const invoice = owed.find(isUsage) ?? random.pick(owed)
  const isVoided = random.chance(0.6)
  const shown: InvoiceShown = await world.api(
    'POST',
    `/v1/invoices/${invoice.id}/${isVoided ? 'void' : 'pay'}`,
  )
  if (isVoided) model.bills.void(invoice.number, life.nowMs())
  else model.bills.pay(invoice.number)
  life.note(`invoice ${invoice.number} of ${invoice.amountMicros}: ${shown.status}`)
  life.count(isVoided ? 'voided' : 'paid')
  if (isVoided && !isUsage(invoice)) life.count('voided a plan')
  if (invoice.status === 'past_due') life.count('paid or voided when past due')
  life.same('an invoice that is no longer owed', shown.status, isVoided ? 'void' : 'paid')
}

export async function compareInvoices(life: Life): Promise<void> {
  const { externalId, model, world } = life
  const now = life.nowMs()
  const [shown, subscription] = await Promise.all([
    invoicesOf(life),
    world.api('GET', `/v1/subscription?endUserId=${externalId}`),
  ])
  const expected = model.bills.invoices(now)
  const isoOf = (ms: number): string => new Date(ms).toISOString()
  life.same(
    'invoices',
    shown
      .map((each) => `${each.number} ${each.issuedAt} ${each.dueAt} ${each.amountMicros} ${each.status}`)
      .join('; '),
    expected
      .map((invoice, at) => {
        const { amount, atMs } = invoice
        const status = model.bills.statusOf(at + 1, invoice, now)
        return `${at + 1} ${isoOf(atMs)} ${isoOf(atMs + graceMs)} ${amount} ${status}`
      })
      .join('; '),
  )
  const { months, owed } = model.bills.usage(now)
  const usage = shown.flatMap(({ lines, number }) =>
    lines
      .filter(({ kind }) => kind === 'on_demand')
      .map(({ amountMicros, periodEnd }) => `${number}: ${amountMicros} until ${periodEnd}`),
  )
  life.same(
    'months of on-demand usage on invoices',
    usage.join('; '),
    months.map(({ amount, endMs, number }) => `${number}: ${amount} until ${isoOf(endMs)}`).join('; '),
  )
  for (const { lines, number, amountMicros } of shown) {
    const sum = lines.reduce((total, line) => total + BigInt(line.amountMicros), 0n)
    life.same(`lines of invoice ${number} together`, String(sum), amountMicros)
  }
  life.same('on-demand usage that is owed', subscription.onDemandOwedMicros, String(owed))
  life.same('credit of earlier plans', subscription.creditMicros, String(model.bills.credit(now)))
  if (usage.length > 0) life.count('on-demand invoiced')
}

export function earningsOf(life: Life): Earning[] {
  const earned = life.model.bills.earned(life.nowMs())
  if (earned.length > 0) life.count('plans invoiced')
  return earned.map((part) => ({ ...part, endUser: life.externalId }))
}

/** The first and the last day are included. Earnings are differences between cumulative sums. */
export function feesOf(
  earnings: readonly Earning[],
  by: 'endUser' | 'bundle',
  fromMs: number,
  untilMs: number,
): Map<string, bigint> {
  const [first, end] = [Math.floor(fromMs / dayMs), Math.floor(untilMs / dayMs) + 1]
  const fees = new Map<string, bigint>()
  for (const { amount, fromMs: startsAtMs, untilMs: endsAtMs, [by]: group } of earnings) {
    const from = Math.floor(startsAtMs / dayMs)
    const days = Math.max(Math.floor(endsAtMs / dayMs) - from, 1)
    const upTo = (day: number): bigint =>
      (amount * BigInt(Math.min(Math.max(day - from, 0), days))) / BigInt(days)
    fees.set(group ?? '', (fees.get(group ?? '') ?? 0n) + upTo(end) - upTo(first))
  }
  return fees
}

/** Oldest first. */
async function invoicesOf({ externalId, world }: Life): Promise<InvoiceShown[]> {
  const { data } = await world.api('GET', `/v1/invoices?endUserId=${externalId}&limit=200`)
  return data.toReversed()
}
