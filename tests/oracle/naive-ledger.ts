/**
 * A second ledger, written from the rules instead of the code. Tests compare the naive ledger with the real ledger step
 * by step (money-against-naive-ledger.test.ts). It is intentionally slow and simple. It uses small floating-point
 * numbers, sums up balances from entries each time, and distributes money one micro at a time. It rounds by searching
 * for the largest or smallest number that fits. It clamps an answer by trying every length, beginning with the longest.
 * Prices are in quarters of a micro (or of a millionth of a credit) per token.
 */
export interface NaiveSource {
  readonly id: string
  readonly kind: 'pool' | 'wallet' | 'on_demand'
  readonly unit: 'micros' | 'credits'
  readonly slug: string
  /** Prefix of the model names for which the source pays. */
  readonly prefix: string
  readonly rank: readonly number[]
  /** The slug of the next pool, `*` for the next pool by rank, or null for no source. */
  readonly spill: string | null
  readonly stops: boolean
  readonly from: number
  until: number
  /**
   * For on-demand: whether on-demand is turned on. For a pool: whether the pool belongs to the end user's current plan.
   */
  isOn: boolean
  ceiling: number
}

export interface NaiveCall {
  readonly alias: string
  readonly text: number
  readonly output: number
  readonly choices: number
  readonly inQuarters: number
  readonly outQuarters: number
  /** Null means no price in credits. */
  readonly creditQuarters: number | null
  readonly policy: 'hard_token' | 'complete_message' | 'grace'
  readonly overdraft: number
}

export interface NaiveLeg {
  readonly id: string
  readonly unit: 'micros' | 'credits'
  readonly amount: number
  readonly micros: number
}

export interface NaiveHold {
  readonly call: NaiveCall
  readonly output: number
  readonly micros: number
  readonly credits: number
  readonly legs: readonly NaiveLeg[]
}

interface Payer {
  readonly id: string
  readonly unit: 'micros' | 'credits'
  readonly capacity: number
}

export interface NaiveSettlement {
  readonly charge: number
  readonly owed: number
  readonly legs: readonly NaiveLeg[]
}

/** In micros, rounded up from quarters. */
export const priceOf = (call: NaiveCall, input: number, output: number): number =>
  Math.ceil((input * call.inQuarters + output * call.outQuarters) / 4)
export const creditsOf = (call: NaiveCall, output: number): number =>
  Math.ceil((output * (call.creditQuarters ?? 0)) / 4)

export class NaiveLedger {
  readonly sources: NaiveSource[] = []
  readonly holds = new Map<string, NaiveHold>()
  readonly limits = {
    outcome_run: 2000,
    key_cap: 2000,
    portal_total: 2000,
    bundle_limit: 2000,
    end_user_limit: 2000,
  }
  spent = 0
  readonly #entries: { readonly id: string; readonly amount: number; readonly isPlan: boolean }[] = []

  /** @param isPlan whether this is a plan's entry in its own pool, instead of a call or a credit */
  enter(id: string, amount: number, isPlan = false): void {
    this.#entries.push({ id, amount, isPlan })
  }

  /** Net amount that calls have taken. */
  consumed(id: string): number {
    let sum = 0
    for (const entry of this.#entries) if (entry.id === id && !entry.isPlan) sum -= entry.amount
    return sum
  }

  posted(id: string): number {
    let sum = 0
    for (const entry of this.#entries) if (entry.id === id) sum += entry.amount
    return sum
  }

  held(id: string): number {
    let sum = 0
    for (const { legs } of this.holds.values()) for (const leg of legs) if (leg.id === id) sum += leg.amount
    return sum
  }

  heldInAll(): number {
    let sum = 0
    for (const { micros } of this.holds.values()) sum += micros
    return sum
  }

  free(source: NaiveSource): number {
    if (source.kind === 'on_demand' && !source.isOn) return 0
    return source.ceiling + this.posted(source.id) - this.held(source.id)
  }

  /**
   * In the order of payment: pools pay one after the other. After the pools, the wallet and on-demand pay, unless the
   * last pool has no spillover.
   */
  line(call: NaiveCall, now: number): NaiveSource[] {
    const isOpen = (source: NaiveSource): boolean => source.isOn && source.from <= now && now < source.until
    const waiting = this.sources.filter(
      (source) =>
        source.kind === 'pool' &&
        isOpen(source) &&
        call.alias.startsWith(source.prefix) &&
        (source.unit === 'micros' || call.creditQuarters !== null),
    )
    const line: NaiveSource[] = []
    while (waiting.length > 0) {
      const spill = line.at(-1)?.spill
      const named = waiting.filter(({ slug }) => slug === spill)
      const goesOn = spill === undefined || spill === '*' || line.some(({ slug }) => slug === spill)
      if (named.length === 0 && !goesOn) break
      const candidates = named.length > 0 ? named : waiting
      const first = waiting.findIndex(
        (pool) => candidates.includes(pool) && !candidates.some((other) => isBefore(other.rank, pool.rank)),
      )
      line.push(...waiting.splice(first, 1))
    }
    if (line.at(-1)?.stops === true) return line
    line.push(...this.sources.filter(({ kind }) => kind === 'wallet'))
    line.push(...this.sources.filter((source) => source.kind === 'on_demand' && isOpen(source)))
    return line
  }

  /**
   * Returns the hold, or the name of the first limit that rejects the call, or 'money'. A second check ignores calls in
   * flight, to distinguish spent money from held money. The result begins with 'held ' if calls in flight hold the
   * money.
   */
  reserve(call: NaiveCall, now: number): NaiveHold | string {
    const line = this.line(call, now)
    const fit = (output: number): NaiveHold | string => {
      const micros = priceOf(call, call.text, output)
      const credits = creditsOf(call, output)
      const broken = this.#brokenLimit(micros)
      if (broken !== null) return broken
      const payers = line.filter(({ unit }) => unit === 'micros' || credits > 0)
      const { legs, restMicros, restCredits } = split(
        micros,
        credits,
        payers.map((source) => ({ id: source.id, unit: source.unit, capacity: this.free(source) })),
      )
      if (restMicros > 0 || restCredits > 0) return 'money'
      return { call, output, micros, credits, legs }
    }
    const whole = fit(call.output)
    if (typeof whole !== 'string') return whole
    if (call.output < call.choices) return this.#reason(fit, call.output)
    for (let output = call.output; output > call.choices; output -= call.choices) {
      const hold = fit(output)
      if (typeof hold !== 'string') return hold
    }
    return this.#reason(fit, call.choices)
  }

  #reason(fit: (output: number) => NaiveHold | string, output: number): NaiveHold | string {
    const answer = fit(output)
    if (typeof answer !== 'string') return answer
    const inFlight = [...this.holds]
    this.holds.clear()
    const alone = fit(output)
    for (const [id, hold] of inFlight) this.holds.set(id, hold)
    return typeof alone === 'string' ? alone : `held ${answer}`
  }

  #brokenLimit(micros: number): string | null {
    for (const kind of [
      'outcome_run',
      'key_cap',
      'portal_total',
      'bundle_limit',
      'end_user_limit',
    ] as const) {
      if (this.spent + this.heldInAll() + micros > this.limits[kind]) return kind
    }
    return null
  }

  /**
   * An extension has the same effect as releasing the hold and taking a larger hold. Sources that no longer pay for new
   * calls still pay first, each up to the amount that the hold already has there.
   */
  extend(id: string, hold: NaiveHold, more: number, now: number): NaiveHold | null {
    const line = this.line(hold.call, now)
    const payers: Payer[] = []
    for (const leg of hold.legs) {
      if (!line.some((source) => source.id === leg.id)) payers.push({ ...leg, capacity: leg.amount })
    }
    for (const source of line) {
      if (source.unit === 'credits' && hold.credits === 0) continue
      const own = hold.legs.find((leg) => leg.id === source.id)?.amount ?? 0
      payers.push({ id: source.id, unit: source.unit, capacity: own + Math.max(0, this.free(source)) })
    }
    for (let added = more; added > 0; added -= 1) {
      const output = hold.output + added
      const micros = priceOf(hold.call, hold.call.text, output)
      const credits = creditsOf(hold.call, output)
      const { legs, restMicros, restCredits } = split(micros, credits, payers)
      const isWithin = this.#brokenLimit(micros - hold.micros) === null
      if (isWithin && restMicros === 0 && restCredits === 0) {
        const longer = { ...hold, output, micros, credits, legs }
        this.holds.set(id, longer)
        return longer
      }
    }
    return null
  }

  settle(id: string, input: number, output: number, now: number): NaiveSettlement {
    const hold = this.holds.get(id)
    if (hold === undefined) throw new Error(`${id} is not open`)
    const { call } = hold
    let charge = priceOf(call, input, output)
    let credits = creditsOf(call, output)
    if (call.policy !== 'complete_message') {
      const overdraft = call.policy === 'grace' ? call.overdraft : 0
      charge = Math.min(charge, hold.micros + overdraft)
      credits = Math.min(
        credits,
        hold.credits + (hold.micros > 0 ? leastUp(hold.credits, overdraft, hold.micros) : 0),
      )
    }
    const own = hold.legs.map((leg) => ({ id: leg.id, unit: leg.unit, capacity: leg.amount }))
    const within = split(charge, credits, own)
    const legs = [...within.legs]
    let owed = 0
    if (within.restMicros > 0 || within.restCredits > 0) {
      const payers = this.line(call, now)
        .filter(({ unit }) => unit === 'micros' || within.restCredits > 0)
        .map((source) => ({ id: source.id, unit: source.unit, capacity: this.free(source) }))
      const beyond = split(within.restMicros, within.restCredits, payers)
      owed = beyond.restMicros
      legs.push(...beyond.legs)
      if (owed > 0) legs.push({ id: 'wallet', unit: 'micros', amount: owed, micros: owed })
    }
    this.holds.delete(id)
    for (const leg of legs) this.enter(leg.id, -leg.amount)
    this.spent += charge
    return { charge, owed, legs }
  }
}

function isBefore(one: readonly number[], other: readonly number[]): boolean {
  for (const [at, value] of one.entries()) {
    if (value !== other[at]) return value < (other[at] ?? 0)
  }
  return false
}

/** `whole x part / of`, rounded up. */
function leastUp(whole: number, part: number, of: number): number {
  let least = 0
  while (least * of < whole * part) least += 1
  return least
}

/** `whole x part / of`, rounded down. */
function mostDown(whole: number, part: number, of: number): number {
  let most = 0
  while ((most + 1) * of <= whole * part) most += 1
  return most
}

function split(micros: number, credits: number, payers: readonly Payer[]) {
  const legs: NaiveLeg[] = []
  let restMicros = micros
  let restCredits = credits
  for (const { capacity, id, unit } of payers) {
    if (restMicros === 0 && restCredits === 0) break
    let amount = 0
    let share = 0
    if (unit === 'micros') {
      const due = restMicros
      while (restMicros > 0 && amount < capacity) {
        restMicros -= 1
        amount += 1
      }
      share = amount
      // A charge of zero has parts of zero at the sources that pay in money, too.
      const isFree = due === 0
      if (isFree) restCredits = 0
      else restCredits = leastUp(restCredits, restMicros, due)
      if (amount === 0 && !isFree) continue
    } else if (capacity >= restCredits) {
      ;[amount, share, restMicros, restCredits] = [restCredits, restMicros, 0, 0]
    } else if (capacity > 0) {
      ;[amount, share] = [capacity, mostDown(restMicros, capacity, restCredits)]
      restMicros -= share
      restCredits -= capacity
    } else {
      continue
    }
    legs.push({ id, unit, amount, micros: share })
  }
  return { legs, restMicros, restCredits }
}
