import {
  naiveBill,
  type NaiveBill,
  type NaiveEvent,
  type NaiveInvoice,
  type NaiveMonth,
  type NaivePlan,
} from './naive-subscription-invoices.ts'
import { naiveAfterVoids, type NaiveEarned } from './naive-void-invoices.ts'

const graceMs = 7 * 24 * 60 * 60 * 1000

export interface Earning extends NaiveEarned {
  readonly endUser: string
}

interface InvoicedMonth extends NaiveMonth {
  readonly number: number
}

export class NaiveBills {
  readonly #anchor: number
  readonly #events: NaiveEvent[]
  readonly #months: () => NaiveMonth[]
  /** By invoice number. */
  readonly #cleared = new Map<number, 'paid' | 'void'>()

  /** @param months in the order of time */
  constructor(plan: NaivePlan | null, now: number, months: () => NaiveMonth[]) {
    this.#anchor = now
    this.#events = [{ kind: 'plan', atMs: now, plan }]
    this.#months = months
  }

  changePlan(plan: NaivePlan | null, now: number): void {
    this.#events.push({ kind: 'plan', atMs: now, plan })
  }

  #bill(now: number): NaiveBill {
    return naiveBill(this.#anchor, this.#events, now, this.#ended(now))
  }

  #ended(now: number): NaiveMonth[] {
    return this.#months().filter(({ endMs }) => endMs <= now)
  }

  /** The first invoice has the number 1. */
  invoices(now: number): readonly NaiveInvoice[] {
    return this.#bill(now).invoices
  }

  /** Returns the credit that reduces later invoices. */
  credit(now: number): bigint {
    return this.#bill(now).credit
  }

  /** A month that has ended states the number of its invoice. `owed` is the total amount due. */
  usage(now: number): { readonly months: readonly InvoicedMonth[]; readonly owed: bigint } {
    const months: InvoicedMonth[] = []
    const open = this.#ended(now)
    let owed = 0n
    for (const [at, invoice] of this.invoices(now).entries()) {
      let used = 0n
      for (; open[0] !== undefined && open[0].endMs <= invoice.atMs; open.shift()) {
        months.push({ ...open[0], number: at + 1 })
        used += open[0].amount
      }
      const status = this.statusOf(at + 1, invoice, now)
      if (status === 'open' || status === 'past_due') owed += used < invoice.amount ? used : invoice.amount
    }
    return { months, owed: open.reduce((sum, { amount }) => sum + amount, owed) }
  }

  statusOf(number: number, { amount, atMs }: NaiveInvoice, now: number): string {
    if (amount === 0n) return 'paid'
    return this.#cleared.get(number) ?? (atMs + graceMs <= now ? 'past_due' : 'open')
  }

  invoiced(now: number): bigint {
    return this.invoices(now)
      .filter((invoice, at) => this.statusOf(at + 1, invoice, now) !== 'void')
      .reduce((sum, { amount }) => sum + amount, 0n)
  }

  pay(number: number): void {
    this.#cleared.set(number, 'paid')
  }

  void(number: number, now: number): void {
    this.#cleared.set(number, 'void')
    this.#events.push({ kind: 'void', atMs: now, number })
  }

  /** The revenue of plans. */
  earned(now: number): readonly NaiveEarned[] {
    return naiveAfterVoids(this.#bill(now).issued).earned
  }

  isOverdue(now: number): boolean {
    return this.invoices(now).some((invoice, at) => this.statusOf(at + 1, invoice, now) === 'past_due')
  }
}
