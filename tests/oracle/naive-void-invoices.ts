/**
 * Computes the credit, the paid days and the revenue after invoices are void, independently of the product. For each
 * invoice that is not void, the end user got a value: the plan's days and the usage, minus the paid days that the
 * invoice took back. The invoice's amount pays for the value first, and then credit. The rest is free.
 */
export interface NaiveSpan {
  readonly fromMs: number
  readonly untilMs: number
  /** Each started day counts. */
  readonly days: bigint
  readonly bundle: string | null
  readonly amount: bigint
}

export interface NaiveIssued {
  readonly isVoid: boolean
  readonly amount: bigint
  /** On-demand usage. */
  readonly used: bigint
  readonly plan: NaiveSpan | null
  /** Days of the plan before, by which the invoice is reduced. */
  readonly unused: NaiveSpan | null
}

/** The days of the last invoice for a plan. */
interface NaivePaidDays {
  readonly isVoid: boolean
  readonly bundle: string | null
  readonly amount: bigint
  readonly days: bigint
  readonly untilMs: number
}

export type NaiveEarned = Pick<NaiveSpan, 'amount' | 'bundle' | 'fromMs' | 'untilMs'>

interface NaiveAfterVoids {
  readonly credit: bigint
  readonly last: NaivePaidDays
  /** Amounts below 0 take back paid days, or are free. */
  readonly earned: readonly NaiveEarned[]
}

const dayMs = 86_400_000

export function naiveAfterVoids(issued: readonly NaiveIssued[]): NaiveAfterVoids {
  let credit = 0n
  let last: NaivePaidDays = { isVoid: false, bundle: null, amount: 0n, days: 1n, untilMs: -Infinity }
  const earned: NaiveEarned[] = []
  for (const { amount, isVoid, plan, unused, used } of issued) {
    if (!isVoid) {
      const back =
        unused === null ? 0n : last.isVoid ? least(unused.amount, worthOf(last, unused)) : unused.amount
      if (unused !== null)
        earned.push({ ...unused, amount: -back, bundle: last.isVoid ? last.bundle : unused.bundle })
      const planValue = (plan?.amount ?? 0n) - back
      credit -= planValue + used - amount
      const free = credit < 0n ? -credit : 0n
      credit += free
      if (plan !== null) {
        earned.push(plan)
        if (planValue > 0n) earned.push({ ...plan, amount: -least(free, planValue) })
      }
    }
    if (plan === null) continue
    const { days, untilMs } = plan
    if (!isVoid) last = { isVoid, bundle: plan.bundle, amount: plan.amount, days, untilMs }
    else {
      const rest = last.untilMs > plan.fromMs ? BigInt(Math.ceil((last.untilMs - plan.fromMs) / dayMs)) : 0n
      const value = (last.amount * rest + last.days - 1n) / last.days
      last = { isVoid, bundle: last.bundle, amount: value, days, untilMs }
    }
  }
  return { credit, last, earned }
}

function worthOf(last: NaivePaidDays, { days }: NaiveSpan): bigint {
  return (last.amount * days) / last.days
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}
