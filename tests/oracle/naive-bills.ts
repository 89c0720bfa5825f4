/** What a person is invoiced, and whether an invoice is past due. */
import {
  naiveBill,
  type NaiveEvent,
  type NaiveInvoice,
  type NaiveMonth,
  type NaivePlan,
} from '../oracles/naive-invoices.ts'

const graceMs = 7 * 24 * 60 * 60 * 1000

export class NaiveBills {
  readonly #anchor: number
  readonly #events: NaiveEvent[]
  readonly #months: () => NaiveMonth[]
  /** By number, counted from 1. */
  readonly #cleared = new Map<number, 'paid' | 'void'>()

  /** @param months of on-demand usage, in the order of time */
  constructor(plan: NaivePlan | null, now: number, months: () => NaiveMonth[]) {
    this.#anchor = now
    this.#events = [{ kind: 'plan', atMs: now, plan }]
    this.#months = months
  }

  changePlan(plan: NaivePlan | null, now: number): void {
    this.#events.push({ kind: 'plan', atMs: now, plan })
  }

  /** All invoices until now; the first has the number 1. */
  invoices(now: number): readonly NaiveInvoice[] {
    const ended = this.#months().filter(({ endMs }) => endMs <= now)
    return naiveBill(this.#anchor, this.#events, now, ended).invoices
  }

  statusOf(number: number, { amount, atMs }: NaiveInvoice, now: number): string {
    if (amount === 0n) return 'paid'
    return this.#cleared.get(number) ?? (atMs + graceMs <= now ? 'past_due' : 'open')
  }

  clear(number: number, how: 'paid' | 'void'): void {
    this.#cleared.set(number, how)
  }

  isOverdue(now: number): boolean {
    return this.invoices(now).some((invoice, at) => this.statusOf(at + 1, invoice, now) === 'past_due')
  }
}
