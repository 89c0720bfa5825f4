/**
 * A person's money after any sequence of operations, written from the contract and the guides and not from the code: a
 * second opinion that uses nothing of `src`. Amounts are bigint micros, or millionths of a credit. One person in one
 * mode; calls end one after the other, except for one that may be in flight beside another.
 */

/** Micros (or millionths of a credit) per million tokens. */
export interface Rates {
  readonly input: bigint
  readonly output: bigint
}

export interface Name {
  readonly model: string
  /** Who may answer, in the order in which they are called. */
  readonly targets: readonly Target[]
}

export interface Target {
  /** As the provider calls it. */
  readonly model: string
  /** The charge of the provider account. */
  readonly cost: Rates
}

export interface Include {
  readonly slug: string
  readonly unit: 'micros' | 'credits'
  readonly amount: bigint
  readonly price: bigint | null
  readonly recurring: boolean
  readonly thenOnDemand: boolean
  /** `*`: the next by rank; null: nothing. */
  readonly spilloverTo: string | null
  /** Names that it may pay for; null: all of the bundle. */
  readonly models: readonly string[] | null
}

export interface Bundle {
  readonly slug: string
  readonly policy: 'hard_token' | 'complete_message' | 'grace'
  readonly overdraft: bigint
  readonly basis: 'provider_cost' | 'sell_price'
  /** Per calendar month. */
  readonly spendLimit: bigint | null
  /** By name; an absent name sells at cost. */
  readonly sell: Readonly<Record<string, Rates>>
  readonly credits: Readonly<Record<string, Rates>>
  readonly includes: readonly Include[]
}

/** A key. Its line are the keys that it replaced and that replaced it. */
export interface Key {
  readonly line: string
  /** Whether the end user created the first of the line in the portal. */
  readonly isOfPortal: boolean
  /** Per calendar month. */
  cap: bigint | null
}

export type Window = 'day' | 'week' | 'month' | 'total'

export interface Asked {
  readonly key: Key
  readonly model: string
  /** The most input of the call, from explain. */
  readonly inputMax: number
  /** Null: the client stated none. */
  readonly outputMax: number | null
  readonly isStream: boolean
  readonly run: string | null
  /** Targets that nothing but money may keep from answering. */
  readonly targets: readonly Target[]
}

export interface Used {
  readonly input: number
  readonly output: number
}

interface Source {
  readonly id: string
  readonly kind: 'pool' | 'wallet' | 'on_demand'
  readonly unit: 'micros' | 'credits'
  readonly include: Include | null
  readonly bundle: string | null
  readonly from: number
  readonly until: number
  /** The amount of the grant. */
  readonly granted: bigint
  /** The part of the grant that no call has taken; on-demand counts down from 0. */
  posted: bigint
  held: bigint
  /** Fewest names, soonest end, free before paid, then by age. */
  readonly rank: readonly number[]
}

export interface Leg {
  readonly kind: Source['kind']
  readonly unit: Source['unit']
  readonly amount: bigint
  readonly micros: bigint
}

interface OwnLeg extends Leg {
  readonly source: Source
}

export interface Hold {
  readonly asked: Asked
  /** Those that it suffices for, in the order in which they are called. */
  readonly taken: readonly Target[]
  /** Of the one that answers: the first, until another does. */
  readonly cost: Rates
  readonly bundle: Bundle
  readonly at: number
  /** The ceiling of its run at admission. */
  readonly ceiling: bigint
  readonly output: number
  readonly isClamped: boolean
  readonly micros: bigint
  readonly credits: bigint
  readonly legs: readonly OwnLeg[]
}

export interface Refused {
  readonly code: string
  readonly limit: string | null
  /** Whether only money held by calls in flight is missing. */
  readonly isHeld: boolean
}

export interface Settled {
  readonly charge: bigint
  readonly billed: bigint
  readonly cost: bigint
  readonly overHold: bigint
  readonly legs: readonly Leg[]
}

interface Run {
  spent: bigint
  calls: number
  /** Null: running; else the ceiling that it reached. */
  cappedAt: bigint | null
}

interface Offered {
  readonly asked: Asked
  readonly now: number
  readonly ceiling: bigint
  readonly wanted: number
  readonly cost: Rates
}

/** One division, rounded up. */
export function priceOf(rates: Rates, { input, output }: Used): bigint {
  return ceilDiv(rates.input * BigInt(input) + rates.output * BigInt(output), 1_000_000n)
}

function ceilDiv(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by
}

const min = (one: bigint, other: bigint): bigint => (one < other ? one : other)

/** Output tokens that are held where the client states no maximum. */
const firstSlice = 2048
const wholeDefault = 16_384

export class NaivePerson {
  readonly #names: ReadonlyMap<string, Name>
  readonly #wallet: Source
  readonly sources: Source[]
  readonly holds = new Set<Hold>()
  readonly runs = new Map<string, Run>()
  /** Of settled calls. */
  readonly usage = { calls: 0, input: 0, output: 0, billed: 0n }
  bundle: Bundle
  readonly anchor: number
  isFrozen = false
  /** What all keys from the portal may spend together in a calendar month. */
  readonly portalTotal: bigint | null
  /** Over all keys and plans. */
  limits = new Map<Window, bigint>()
  onDemand: { isOn: boolean; limit: bigint | null } = { isOn: false, limit: null }
  readonly #charges: { readonly at: number; readonly micros: bigint; readonly key: Key }[] = []
  #age = 0

  constructor(names: ReadonlyMap<string, Name>, bundle: Bundle, now: number, portalTotal: bigint | null) {
    this.#names = names
    this.portalTotal = portalTotal
    this.bundle = bundle
    this.anchor = now
    this.#wallet = {
      id: 'wallet',
      kind: 'wallet',
      unit: 'micros',
      include: null,
      bundle: null,
      from: 0,
      until: Number.POSITIVE_INFINITY,
      granted: 0n,
      posted: 0n,
      held: 0n,
      rank: [],
    }
    this.sources = [this.#wallet]
  }

  get walletPosted(): bigint {
    return this.#wallet.posted
  }

  get held(): bigint {
    return this.#wallet.held
  }

  onDemandSpent(now: number): bigint {
    return -(this.#thisMonth(now)?.posted ?? 0n)
  }

  /** The remainders of the pools in force, by slug. */
  pools(now: number): Map<string, bigint> {
    const withheld = this.#withheld(now)
    const left = new Map<string, bigint>()
    for (const source of this.#poolsHere(now)) {
      const slug = source.include?.slug ?? ''
      left.set(slug, (left.get(slug) ?? 0n) + source.posted - (withheld.get(source) ?? 0n))
    }
    return left
  }

  grant(micros: bigint): void {
    this.#wallet.posted += micros
  }

  /** Opens what is due now: each month's pools and on-demand, and sign-up pools once for ever. */
  open(now: number): void {
    const month = monthOf(this.anchor, now)
    const at = new Date(now)
    if (!this.#thisMonth(now))
      this.#add({
        kind: 'on_demand',
        unit: 'micros',
        include: null,
        from: Date.UTC(at.getUTCFullYear(), at.getUTCMonth()),
        until: Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1),
        granted: 0n,
      })
    const here = this.#poolsHere(now)
    for (const include of this.bundle.includes) {
      if (here.some((source) => source.include === include)) continue
      const { amount, recurring, unit } = include
      this.#add({
        kind: 'pool',
        unit,
        include,
        from: recurring ? month.from : now,
        until: recurring ? month.until : Number.POSITIVE_INFINITY,
        granted: amount,
      })
    }
  }

  #poolsHere(now: number): Source[] {
    return this.sources.filter(
      (source) => source.kind === 'pool' && source.bundle === this.bundle.slug && isOpen(source, now),
    )
  }

  /**
   * The payments and holds of other plans' pools this month, withheld from this plan's in the same unit: from the
   * pool of the same slug first, then from one after the other; all plans of a month together yield what the largest
   * of them grants.
   */
  #withheld(now: number): Map<Source, bigint> {
    const taken = (source: Source): bigint => source.granted - source.posted + source.held
    const recurring = this.#poolsHere(now).filter(({ include }) => include?.recurring === true)
    const elsewhere = this.sources
      .filter(
        (source) =>
          source.kind === 'pool' &&
          source.include?.recurring === true &&
          source.bundle !== this.bundle.slug &&
          isOpen(source, now),
      )
      .map((source) => ({ source, left: taken(source) }))
    const withheld = new Map<Source, bigint>()
    for (const isSameSlug of [true, false]) {
      for (const source of recurring) {
        for (const other of elsewhere) {
          if (other.source.unit !== source.unit) continue
          if (isSameSlug && other.source.include?.slug !== source.include?.slug) continue
          const before = withheld.get(source) ?? 0n
          const more = min(other.left, source.granted - taken(source) - before)
          withheld.set(source, before + more)
          other.left -= more
        }
      }
    }
    return withheld
  }

  #add(fields: Pick<Source, 'kind' | 'unit' | 'include' | 'from' | 'until' | 'granted'>): void {
    const { granted, include, until } = fields
    this.#age += 1
    this.sources.push({
      ...fields,
      id: `${fields.kind} ${include?.slug ?? ''} ${this.#age}`,
      bundle: include === null ? null : this.bundle.slug,
      posted: granted,
      held: 0n,
      rank: [
        include?.models?.length ?? this.#names.size,
        until === Number.POSITIVE_INFINITY ? Number.MAX_SAFE_INTEGER : until,
        include !== null && include.price !== null && include.price > 0n ? 1 : 0,
        this.#age,
      ],
    })
  }

  /** Another bundle, from now on. */
  subscribe(bundle: Bundle, now: number): void {
    this.open(now)
    this.bundle = bundle
    this.open(now)
  }

  #ratesOf(bundle: Bundle, model: string, cost: Rates): { basis: Rates; sell: Rates; credits: Rates | null } {
    const sell = bundle.sell[model] ?? cost
    return {
      basis: bundle.basis === 'sell_price' ? sell : cost,
      sell,
      credits: bundle.credits[model] ?? null,
    }
  }

  /** The sources that may pay, in order. */
  #payers(model: string, bundle: Bundle, now: number): Source[] {
    const credits = bundle.credits[model] ?? null
    const waiting = this.#poolsHere(now)
      .filter(
        (source) =>
          (source.include?.models?.includes(model) ?? true) && (source.unit === 'micros' || credits !== null),
      )
      .toSorted((one, other) => compare(one.rank, other.rank))
    const line: Source[] = []
    for (let next = waiting[0]; next;) {
      line.push(next)
      waiting.splice(waiting.indexOf(next), 1)
      const spill = next.include?.spilloverTo ?? null
      const hasPaid = line.some(({ include }) => include?.slug === spill)
      if (spill === null) break
      next = spill === '*' || hasPaid ? waiting[0] : waiting.find(({ include }) => include?.slug === spill)
    }
    if (line.at(-1)?.include?.thenOnDemand === false) return line
    line.push(this.#wallet)
    const month = this.#thisMonth(now)
    if (this.onDemand.isOn && month) line.push(month)
    return line
  }

  #thisMonth(now: number): Source | undefined {
    return this.sources.find((source) => source.kind === 'on_demand' && isOpen(source, now))
  }

  /** The amount that a source can still promise; null: unlimited. */
  #free(source: Source, isHeldCounted: boolean, now: number): bigint | null {
    const withheld = source.kind === 'pool' ? (this.#withheld(now).get(source) ?? 0n) : 0n
    const free = source.posted - withheld - (isHeldCounted ? source.held : 0n)
    if (source.kind !== 'on_demand') return free
    if (!this.onDemand.isOn) return 0n
    return this.onDemand.limit === null ? null : this.onDemand.limit + free
  }

  /**
   * A hold for the dearest target; else one without the dearest, and so on down to the price of the first, at which an
   * answer may be shortened; else the same for those that are cheaper than the first.
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

  /** A hold at one price: whole, or shortened where it may be. */
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
    const payers = this.#payers(asked.model, bundle, now)
    const fit = (output: number, isHeldCounted: boolean): Hold | string => {
      const { credits, micros } = demand(output)
      const broken = this.#brokenLimit(asked, micros, now, ceiling, isHeldCounted)
      if (broken !== null) return broken
      const { legs, restCredits, restMicros } = split(
        micros,
        credits,
        payers
          .filter(({ unit }) => unit === 'micros' || credits > 0n)
          .map((source) => ({ source, capacity: this.#free(source, isHeldCounted, now) })),
      )
      if (restMicros > 0n || restCredits > 0n) return sourceWord(payers)
      const isClamped = output < wanted
      return { asked, bundle, at: now, ceiling, cost, taken: [], output, isClamped, micros, credits, legs }
    }
    const whole = fit(wanted, true)
    if (typeof whole !== 'string') return whole
    const one = fit(1, true)
    if (typeof one === 'string') {
      // A limit that holds with nothing in flight is named first: waiting never clears it.
      const lasting = this.holds.size > 0 ? fit(1, false) : one
      const isHeld = typeof lasting !== 'string'
      return { code: 'refused', limit: isHeld ? one : lasting, isHeld, least: demand(1).micros }
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

  /** The most that so much output may cost the person at one target. */
  worstAt({ asked, bundle }: Hold, { cost }: Target, output: number): bigint {
    return priceOf(this.#ratesOf(bundle, asked.model, cost).basis, { input: asked.inputMax, output })
  }

  /** Another target answers. */
  redirect(hold: Hold, { cost }: Target): Hold {
    const redirected = { ...hold, cost }
    this.holds.delete(hold)
    this.holds.add(redirected)
    return redirected
  }

  #hold(hold: Hold, isNew = true): Hold {
    for (const leg of hold.legs) leg.source.held += leg.amount
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

  /** What those keys were charged in the calendar window. */
  spentIn(now: number, window: Window, counts: (key: Key) => boolean): bigint {
    const from = startOf(window, now)
    let spent = 0n
    for (const charge of this.#charges) if (charge.at >= from && counts(charge.key)) spent += charge.micros
    return spent
  }

  /**
   * @param used as the provider reports it
   * @param failed what attempts before it have cost
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
    for (const leg of hold.legs) leg.source.held -= leg.amount
    this.holds.delete(hold)
    const within = split(
      charge,
      chargeCredits,
      hold.legs.map(({ amount, source }) => ({ source, capacity: amount })),
    )
    const legs = [...within.legs]
    if (within.restMicros > 0n || within.restCredits > 0n) {
      // The legs within the hold are spent before the free amount is read.
      for (const leg of within.legs) leg.source.posted -= leg.amount
      const beyond = split(
        within.restMicros,
        within.restCredits,
        this.#payers(asked.model, bundle, now)
          .filter(({ unit }) => unit === 'micros' || within.restCredits > 0n)
          .map((source) => ({ source, capacity: this.#free(source, true, now) })),
      )
      for (const leg of within.legs) leg.source.posted += leg.amount
      legs.push(...beyond.legs)
      if (beyond.restMicros > 0n)
        legs.push({
          source: this.#wallet,
          kind: 'wallet',
          unit: 'micros',
          amount: beyond.restMicros,
          micros: beyond.restMicros,
        })
    }
    for (const leg of legs) leg.source.posted -= leg.amount
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
      legs: legs.map(({ amount, kind, micros, unit }) => ({ amount, kind, micros, unit })),
    }
  }

  /** The same part of the sell price as of the charge, rounded up. */
  #billed(debit: bigint, charge: bigint, sell: bigint): bigint {
    return debit === 0n || charge === debit ? sell : ceilDiv(sell * charge, debit)
  }

  /** The hold after an extension: the most output that has this worst case. */
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
    for (const leg of hold.legs) leg.source.held -= leg.amount
    this.holds.delete(hold)
    const { legs, restCredits, restMicros } = split(
      worst,
      credits,
      this.#payers(asked.model, bundle, hold.at)
        .filter(({ unit }) => unit === 'micros' || credits > 0n)
        .map((source) => ({ source, capacity: this.#free(source, true, hold.at) })),
    )
    if (restMicros > 0n || restCredits > 0n) return null
    return this.#hold({ ...hold, output: least, micros: worst, credits, legs }, false)
  }

  release(hold: Hold): void {
    for (const leg of hold.legs) leg.source.held -= leg.amount
    this.holds.delete(hold)
  }
}

function isOpen(source: Source, now: number): boolean {
  return source.from <= now && now < source.until
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index])
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0)
}

function sourceWord(payers: readonly Source[]): string {
  const last = payers.at(-1)
  if (last?.kind === 'on_demand') return 'on_demand_ceiling'
  return last?.kind === 'pool' ? 'pool' : 'balance'
}

/** UTC; weeks start on Monday. */
function startOf(window: Window, now: number): number {
  const at = new Date(now)
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  if (window === 'total') return 0
  if (window === 'month') return Date.UTC(year, month)
  return Date.UTC(year, month, window === 'day' ? day : day - ((at.getUTCDay() + 6) % 7))
}

function codeOf(limit: string): string {
  if (limit === 'outcome_run') return 'outcome_capped'
  return limit === 'balance' || limit === 'pool' ? 'insufficient_credit' : 'spend_limit_exceeded'
}

/** The month from the anchor that contains an instant; a day that a month lacks is its last. */
function monthOf(anchor: number, now: number): { from: number; until: number } {
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
 * A price in micros and credits over payers, in order. Each takes its part of what remains; the rest in
 * credits is rounded up, so that what is smaller stays smaller.
 */
function split(
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
