/**
 * Models an end user's money after any sequence of operations, written from the contract and the guides instead of the
 * code. Uses no code from `src`. Amounts are bigint micros, or millionths of a credit. Covers one end user in one mode.
 * Calls run one after the other, except for one call that may be concurrent with another.
 */
import {
  ceilDiv,
  min,
  priceOf,
  type Asked,
  type Bundle,
  type Hold,
  type Key,
  type Name,
  type Offered,
  type Rates,
  type Refused,
  type Run,
  type Settled,
  type Target,
  type Used,
  type Window,
} from './naive-types.ts'
import { codeOf, sourceWord, split, startOf } from './naive-windows-and-price-split.ts'
import { NaiveSources, paidOf } from './naive-sources.ts'

/** Output tokens that are held if the client states no maximum. */
const firstSlice = 2048
const wholeDefault = 8_192

export class NaivePerson extends NaiveSources {
  readonly holds = new Set<Hold>()
  readonly runs = new Map<string, Run>()
  readonly usage = { calls: 0, input: 0, output: 0, billed: 0n }
  /** Per calendar month. */
  readonly portalTotal: bigint | null
  /** Apply across all keys and plans. */
  limits = new Map<Window, bigint>()
  readonly #charges: { readonly at: number; readonly micros: bigint; readonly key: Key }[] = []

  constructor(names: ReadonlyMap<string, Name>, bundle: Bundle, now: number, portalTotal: bigint | null) {
    super(names, bundle, now)
    this.portalTotal = portalTotal
  }

  #ratesOf(bundle: Bundle, model: string, cost: Rates): { basis: Rates; sell: Rates; credits: Rates | null } {
    const sell = bundle.sell[model] ?? cost
    return {
      basis: bundle.basis === 'sell_price' ? sell : cost,
      sell,
      credits: bundle.credits[model] ?? null,
    }
  }

  /**
   * Creates a hold for the most expensive target. If the hold does not fit the balance, tries the next hold without the
   * most expensive target. The last hold uses only the price of the first target, and may cover a shorter answer. If no
   * hold for the first target fits, tries a hold for each cheaper target.
   */
  reserve(asked: Asked, now: number, ceiling: bigint): Hold | Refused {
    if (this.isFrozen) return { code: 'end_user_frozen', limit: 'end_user', isHeld: false }
    this.open(now)
    const run = asked.run === null ? null : this.runs.get(asked.run)
    if (run && run.cappedAt !== null) {
      if (ceiling > run.cappedAt) run.cappedAt = null
      else return { code: 'outcome_capped', limit: 'outcome_run', isHeld: false }
    }
    const wanted = asked.outputMax ?? (asked.isStream ? firstSlice : wholeDefault)
    const worstOf = ({ cost }: Target, output: number): bigint =>
      priceOf(this.#ratesOf(this.bundle, asked.model, cost).basis, { input: asked.inputMax, output })
    let refused: { readonly limit: string; readonly isHeld: boolean; readonly least: bigint } | null = null
    for (let left = asked.targets; ;) {
      const [first] = left
      if (first === undefined) break
      const least = worstOf(first, wanted)
      const dearer = left.filter((target) => worstOf(target, wanted) > least)
      const steps = dearer.toSorted((one, other) => Number(worstOf(other, wanted) - worstOf(one, wanted)))
      for (const covers of [...steps, first]) {
        const fitted = this.#fit({ asked, now, ceiling, wanted, cost: covers.cost }, covers === first)
        if ('code' in fitted) {
          refused = fitted
          continue
        }
        const within = (target: Target): boolean =>
          worstOf(target, wanted) <= worstOf(covers, wanted) &&
          worstOf(target, fitted.output) <= fitted.micros
        return this.#hold({ ...fitted, cost: first.cost, taken: left.filter(within) })
      }
      left = left.filter((target) => worstOf(target, wanted) < least)
    }
    if (refused === null) throw new Error(`${asked.model} has no target`)
    const { isHeld, least, limit } = refused
    if (isHeld) return { code: 'balance_held', limit, isHeld }
    if (limit === 'outcome_run' && least <= ceiling && run) run.cappedAt = ceiling
    return { code: codeOf(limit), limit, isHeld }
  }

  /** If `mayClamp` is true, the hold may cover less than the wanted output. */
  #fit(
    { asked, ceiling, cost, now, wanted }: Offered,
    mayClamp: boolean,
  ):
    | Hold
    | { readonly code: 'refused'; readonly limit: string; readonly isHeld: boolean; readonly least: bigint } {
    const { bundle } = this
    const rates = this.#ratesOf(bundle, asked.model, cost)
    const demand = (output: number): { micros: bigint; credits: bigint } => {
      const used = { input: asked.inputMax, output }
      return {
        micros: priceOf(rates.basis, used),
        credits: rates.credits === null ? 0n : priceOf(rates.credits, used),
      }
    }
    const payers = this.payers(asked.model, bundle, now)
    const fit = (output: number, isHeldCounted: boolean): Hold | string => {
      const { credits, micros } = demand(output)
      const broken = this.#brokenLimit(asked, micros, now, ceiling, isHeldCounted)
      if (broken !== null) return broken
      const { legs, restCredits, restMicros } = split(
        micros,
        credits,
        payers
          .filter(({ unit }) => unit === 'micros' || credits > 0n)
          .map((source) => ({ source, capacity: this.freeOf(source, isHeldCounted, now) })),
      )
      if (restMicros > 0n || restCredits > 0n) return sourceWord(payers)
      const isClamped = output < wanted
      const payerId = this.team?.payerId ?? null
      return {
        asked,
        payerId,
        bundle,
        at: now,
        ceiling,
        cost,
        taken: [],
        output,
        isClamped,
        micros,
        credits,
        legs,
      }
    }
    const whole = fit(wanted, true)
    if (typeof whole !== 'string') return whole
    const one = fit(1, true)
    if (typeof one === 'string') {
      // A limit that would reject the call even without calls in flight is reported first, because waiting does not
      // help.
      const lasting = this.holds.size > 0 ? fit(1, false) : one
      const isHeld = typeof lasting !== 'string'
      const isUnpaid = lasting === 'balance' && this.#couldPay(asked, cost, now, true)
      // If the plan has a pool, the end user waits for the pool, so the rejection names the pool even if other sources
      // could pay.
      const hasPool =
        lasting === 'balance' && payers.some(({ bundle: plan, kind }) => kind === 'pool' && plan !== null)
      const isCapped = lasting === 'balance' && this.#couldPayUncapped(asked, cost, now)
      const limit = isHeld
        ? one
        : isUnpaid
          ? 'unpaid_invoice'
          : hasPool
            ? 'pool'
            : isCapped
              ? 'member_cap'
              : lasting
      return { code: 'refused', limit, isHeld, least: demand(1).micros }
    }
    if (!mayClamp) return { code: 'refused', limit: whole, isHeld: false, least: demand(1).micros }
    let [fits, tooMany] = [1, wanted]
    while (tooMany - fits > 1) {
      const output = Math.floor((fits + tooMany) / 2)
      if (typeof fit(output, true) === 'string') tooMany = output
      else fits = output
    }
    const most = fit(fits, true)
    if (typeof most === 'string') throw new Error('what fits does not fit')
    return most
  }

  /** Whether only the member's cap prevents the team's payer from paying. */
  #couldPayUncapped(asked: Asked, cost: Rates, now: number): boolean {
    const { team } = this
    if (team === null || team.cap === null) return false
    this.team = { ...team, cap: null }
    const couldPay = this.#couldPay(asked, cost, now, false)
    this.team = team
    return couldPay
  }

  #couldPay({ inputMax, model }: Asked, cost: Rates, now: number, isUnblocked: boolean): boolean {
    const rates = this.#ratesOf(this.bundle, model, cost)
    const used = { input: inputMax, output: 1 }
    const credits = rates.credits === null ? 0n : priceOf(rates.credits, used)
    const { restCredits, restMicros } = split(
      priceOf(rates.basis, used),
      credits,
      this.payers(model, this.bundle, now, isUnblocked)
        .filter(({ unit }) => unit === 'micros' || credits > 0n)
        .map((source) => ({ source, capacity: this.freeOf(source, false, now, isUnblocked) })),
    )
    return restMicros === 0n && restCredits === 0n
  }

  worstAt({ asked, bundle }: Hold, { cost }: Target, output: number): bigint {
    return priceOf(this.#ratesOf(bundle, asked.model, cost).basis, { input: asked.inputMax, output })
  }

  redirect(hold: Hold, { cost }: Target): Hold {
    const redirected = { ...hold, cost }
    this.holds.delete(hold)
    this.holds.add(redirected)
    return redirected
  }

  #hold(hold: Hold, isNew = true): Hold {
    for (const leg of hold.legs) this.holdAt(leg.source, leg.amount)
    this.holds.add(hold)
    if (isNew && hold.asked.run !== null) {
      const run = this.runs.get(hold.asked.run) ?? { spent: 0n, calls: 0, cappedAt: null }
      run.calls += 1
      this.runs.set(hold.asked.run, run)
    }
    return hold
  }

  #brokenLimit(
    { key, run }: Asked,
    micros: bigint,
    now: number,
    ceiling: bigint,
    isHeldCounted: boolean,
  ): string | null {
    const sum = (counts: (hold: Hold) => boolean): bigint => {
      let held = 0n
      if (isHeldCounted) for (const hold of this.holds) if (counts(hold)) held += hold.micros
      return held
    }
    if (run !== null) {
      const spent = this.runs.get(run)?.spent ?? 0n
      if (spent + sum(({ asked }) => asked.run === run) + micros > ceiling) return 'outcome_run'
    }
    const breaks = (most: bigint | null, window: Window, counts: (of: Key) => boolean): boolean =>
      most !== null &&
      this.spentIn(now, window, counts) + sum(({ asked }) => counts(asked.key)) + micros > most
    if (breaks(key.cap, 'month', ({ line }) => line === key.line)) return 'key_cap'
    if (key.isOfPortal && breaks(this.portalTotal, 'month', ({ isOfPortal }) => isOfPortal))
      return 'portal_total'
    if (breaks(this.bundle.spendLimit, 'month', () => true)) return 'bundle_limit'
    for (const [window, most] of this.limits) {
      if (breaks(most, window, () => true)) return 'end_user_limit'
    }
    return null
  }

  /** Counts from the start of the calendar window that contains `now`. */
  spentIn(now: number, window: Window, counts: (key: Key) => boolean): bigint {
    const from = startOf(window, now)
    let spent = 0n
    for (const charge of this.#charges) if (charge.at >= from && counts(charge.key)) spent += charge.micros
    return spent
  }

  /**
   * @param used the usage as the provider reports it
   * @param failed the cost of the earlier attempts of the call
   */
  settle(hold: Hold, used: Used, now: number, failed: bigint): Settled {
    const { asked, bundle } = hold
    const rates = this.#ratesOf(bundle, asked.model, hold.cost)
    const cost = priceOf(hold.cost, used) + failed
    const debit = priceOf(rates.basis, used)
    const credits = rates.credits === null ? 0n : priceOf(rates.credits, used)
    let charge = debit
    let chargeCredits = credits
    if (bundle.policy !== 'complete_message') {
      const overdraft = bundle.policy === 'grace' ? bundle.overdraft : 0n
      charge = min(debit, hold.micros + overdraft)
      const more = hold.micros === 0n ? 0n : ceilDiv(hold.credits * overdraft, hold.micros)
      chargeCredits = min(credits, hold.credits + more)
    }
    for (const leg of hold.legs) this.holdAt(leg.source, -leg.amount)
    this.holds.delete(hold)
    const within = split(
      charge,
      chargeCredits,
      hold.legs.map(({ amount, source }) => ({ source, capacity: amount })),
    )
    const legs = [...within.legs]
    if (within.restMicros > 0n || within.restCredits > 0n) {
      // The legs within the hold are debited first, because they reduce the free amounts that the next lines read.
      for (const leg of within.legs) this.postAt(leg.source, -leg.amount)
      const beyond = split(
        within.restMicros,
        within.restCredits,
        this.payers(asked.model, bundle, now)
          .filter(({ unit }) => unit === 'micros' || within.restCredits > 0n)
          .map((source) => ({ source, capacity: this.freeOf(source, true, now) })),
      )
      for (const leg of within.legs) this.postAt(leg.source, leg.amount)
      legs.push(...beyond.legs)
      if (beyond.restMicros > 0n)
        legs.push({
          source: this.wallet,
          kind: 'wallet',
          unit: 'micros',
          amount: beyond.restMicros,
          micros: beyond.restMicros,
        })
    }
    const parts = this.debit(legs)
    this.#charges.push({ at: now, micros: charge, key: asked.key })
    const billed = this.#billed(debit, charge, priceOf(rates.sell, used))
    if (asked.run !== null) {
      const run = this.runs.get(asked.run)
      if (run) run.spent += charge
      if (run && run.spent >= hold.ceiling) run.cappedAt = hold.ceiling
    }
    this.usage.calls += 1
    this.usage.input += used.input
    this.usage.output += used.output
    this.usage.billed += billed
    return {
      charge,
      billed,
      cost,
      overHold: debit > charge ? debit - charge : 0n,
      parts,
      paid: paidOf(parts),
      legs: legs.map(({ amount, kind, micros, unit }) => ({ amount, kind, micros, unit })),
    }
  }

  /** The billed part is the charge's share of the debit, rounded up. */
  #billed(debit: bigint, charge: bigint, sell: bigint): bigint {
    return debit === 0n || charge === debit ? sell : ceilDiv(sell * charge, debit)
  }

  /** The hold covers the longest output that the new worst case allows. */
  extendTo(hold: Hold, worst: bigint): Hold | null {
    const { asked, bundle } = hold
    const rates = this.#ratesOf(bundle, asked.model, hold.cost)
    let [least, most] = [hold.output, 1_000_000]
    const at = (output: number): bigint => priceOf(rates.basis, { input: asked.inputMax, output })
    while (most - least > 1) {
      const output = Math.floor((least + most) / 2)
      if (at(output) <= worst) least = output
      else most = output
    }
    if (at(least) !== worst) return null
    const credits =
      rates.credits === null ? 0n : priceOf(rates.credits, { input: asked.inputMax, output: least })
    for (const leg of hold.legs) this.holdAt(leg.source, -leg.amount)
    this.holds.delete(hold)
    const { legs, restCredits, restMicros } = split(
      worst,
      credits,
      this.payers(asked.model, bundle, hold.at)
        .filter(({ unit }) => unit === 'micros' || credits > 0n)
        .map((source) => ({ source, capacity: this.freeOf(source, true, hold.at) })),
    )
    if (restMicros > 0n || restCredits > 0n) return null
    return this.#hold({ ...hold, output: least, micros: worst, credits, legs }, false)
  }

  release(hold: Hold): void {
    for (const leg of hold.legs) this.holdAt(leg.source, -leg.amount)
    this.holds.delete(hold)
  }
}
