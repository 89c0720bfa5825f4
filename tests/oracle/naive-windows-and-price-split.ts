import { ceilDiv, min, type OwnLeg, type Source, type Window } from './naive-types.ts'

export function isOpen(source: Source, now: number): boolean {
  return source.from <= now && now < source.until
}

export function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index])
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0)
}

export function sourceWord(payers: readonly Source[]): string {
  const last = payers.at(-1)
  if (last?.kind === 'on_demand') return 'on_demand_ceiling'
  return last?.kind === 'pool' ? 'pool' : 'balance'
}

/** In UTC. Weeks start on Monday. */
export function startOf(window: Window, now: number): number {
  const at = new Date(now)
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  if (window === 'total') return 0
  if (window === 'month') return Date.UTC(year, month)
  return Date.UTC(year, month, window === 'day' ? day : day - ((at.getUTCDay() + 6) % 7))
}

export function codeOf(limit: string): string {
  if (limit === 'outcome_run') return 'outcome_capped'
  return limit === 'balance' || limit === 'pool' || limit === 'unpaid_invoice'
    ? 'insufficient_credit'
    : 'spend_limit_exceeded'
}

/** Months are counted from the anchor. In a month without the anchor's day, the last day is used. */
export function monthOf(anchor: number, now: number): { from: number; until: number } {
  const start = new Date(anchor)
  const boundary = (n: number): number => {
    const month = start.getUTCMonth() + n
    const last = new Date(Date.UTC(start.getUTCFullYear(), month + 1, 0)).getUTCDate()
    const day = Math.min(start.getUTCDate(), last)
    return Date.UTC(start.getUTCFullYear(), month, day) + (anchor % 86_400_000)
  }
  let n = 0
  while (boundary(n + 1) <= now) n += 1
  return { from: boundary(n), until: boundary(n + 1) }
}

/**
 * Each payer, in order, pays a part of the remaining price. The remaining amount in credits is rounded up, so that
 * rounding never reverses the order of two amounts.
 */
export function split(
  micros: bigint,
  credits: bigint,
  payers: readonly { readonly source: Source; readonly capacity: bigint | null }[],
): { legs: OwnLeg[]; restMicros: bigint; restCredits: bigint } {
  const legs: OwnLeg[] = []
  let restMicros = micros
  let restCredits = credits
  for (const { capacity, source } of payers) {
    if (restMicros === 0n && restCredits === 0n) break
    const { kind, unit } = source
    if (unit === 'micros') {
      if (restMicros === 0n) {
        legs.push({ source, kind, unit, amount: 0n, micros: 0n })
        restCredits = 0n
        break
      }
      const amount = capacity === null ? restMicros : min(capacity, restMicros)
      if (amount <= 0n) continue
      restCredits = ceilDiv(restCredits * (restMicros - amount), restMicros)
      restMicros -= amount
      legs.push({ source, kind, unit, amount, micros: amount })
    } else if (capacity === null || capacity >= restCredits) {
      legs.push({ source, kind, unit, amount: restCredits, micros: restMicros })
      restMicros = 0n
      restCredits = 0n
    } else if (capacity > 0n) {
      const share = (restMicros * capacity) / restCredits
      legs.push({ source, kind, unit, amount: capacity, micros: share })
      restMicros -= share
      restCredits -= capacity
    }
  }
  return { legs, restMicros, restCredits }
}
