import { NaiveBills } from './naive-end-user-invoices.ts'
import {
  min,
  type Bundle,
  type Membership,
  type Name,
  type OwnLeg,
  type Paid,
  type Part,
  type Source,
} from './naive-types.ts'
import { compare, isOpen, monthOf } from './naive-windows-and-price-split.ts'

/** A gift (granted credit) in the wallet. Gifts are spent oldest first. */
interface Gift {
  readonly id: string
  /** Excludes the reversed amount. */
  amount: bigint
  left: bigint
}

type Month = ReturnType<typeof monthOf>

const max = (one: bigint, other: bigint): bigint => (one > other ? one : other)

const isCredit = ({ bundle, kind }: Source): boolean => kind === 'pool' && bundle === null

/** Position in the order of payment. Refunds use the reverse order. */
function rankOf({ paidBy, source }: Part): number {
  if (paidBy === 'plan') return 0
  if (source.kind === 'pool') return 1
  if (source.kind === 'team') return paidBy === 'gift' ? 2 : 3
  return { gift: 4, wallet: 5, onDemand: 6, overdraft: 7 }[paidBy]
}

export function paidOf(parts: readonly Part[]): Paid {
  const paid: Paid = { plan: 0n, gift: 0n, wallet: 0n, onDemand: 0n, overdraft: 0n }
  for (const { micros, paidBy } of parts) paid[paidBy] += micros
  return paid
}

export class NaiveSources {
  readonly #names: ReadonlyMap<string, Name>
  readonly wallet: Source = {
    id: 'wallet',
    kind: 'wallet',
    unit: 'micros',
    include: null,
    bundle: null,
    rolled: 0,
    from: 0,
    until: Number.POSITIVE_INFINITY,
    granted: 0n,
    posted: 0n,
    held: 0n,
    rank: [],
  }
  readonly sources: Source[] = [this.wallet]
  readonly #gifts: Gift[] = []
  readonly bills: NaiveBills
  bundle: Bundle
  readonly anchor: number
  /** Time when the end user joined the bundle. */
  #since: number
  onDemand: { isOn: boolean; limit: bigint | null } = { isOn: false, limit: null }
  isFrozen = false
  /** Null if the end user is in no team. */
  team: Membership | null = null
  #age = 0

  constructor(names: ReadonlyMap<string, Name>, bundle: Bundle, now: number) {
    this.#names = names
    this.bundle = bundle
    this.anchor = now
    this.#since = now
    this.bills = new NaiveBills(bundle.plan, now, () =>
      this.sources
        .filter(({ kind, posted }) => kind === 'on_demand' && posted < 0n)
        .map(({ posted, until }) => ({ endMs: until, amount: -posted })),
    )
  }

  get given(): bigint {
    return this.#gifts.reduce((sum, { left }) => sum + left, 0n)
  }

  /** A gift first reduces a debt. */
  give(id: string, micros: bigint): void {
    this.wallet.posted += micros
    this.#gifts.push({ id, amount: micros, left: min(micros, max(this.wallet.posted, 0n)) })
  }

  /** A gift with an expiry is a separate source. */
  giveUntil(id: string, micros: bigint, from: number, until: number): void {
    this.#age += 1
    const rank = [until, this.#age]
    const fields = { include: null, bundle: null, rolled: 0, granted: micros, posted: micros, held: 0n, rank }
    this.sources.push({ ...fields, id, kind: 'pool', unit: 'micros', from, until })
  }

  #credits(now: number): Source[] {
    return this.sources.filter((source) => isCredit(source) && isOpen(source, now))
  }

  /** Remaining amounts by gift ID, without expired gifts. */
  creditLeft(now: number): Map<string, bigint> {
    const left = this.sources.filter((source) => isCredit(source) && now < source.until && source.posted > 0n)
    return new Map(left.map(({ id, posted }) => [id, posted]))
  }

  /** Includes the gifts with an expiry that can be spent now. */
  balance(now: number): bigint {
    return this.#credits(now).reduce((sum, { posted }) => sum + posted, this.wallet.posted)
  }

  topUp(micros: bigint): void {
    this.wallet.posted += micros
  }

  /** @returns the new balance, or null if more than the free amount would be taken */
  adjust(id: string, micros: bigint): bigint | null {
    if (micros > 0n) this.give(id, micros)
    else if (-micros > this.wallet.posted - this.wallet.held) return null
    else this.takeFromWallet(-micros)
    return this.wallet.posted
  }

  /** Takes back only what calls have neither spent nor held. */
  takeBack(id: string, now: number): bigint {
    const credit = this.sources.find((source) => isCredit(source) && source.id === id)
    if (credit !== undefined) {
      const free = now < credit.until ? credit.posted - credit.held : 0n
      credit.posted -= free
      return free
    }
    const gift = this.#gifts.find((each) => each.id === id)
    if (gift === undefined) throw new Error(`${id} was not given`)
    const micros = max(min(gift.left, this.wallet.posted - this.wallet.held), 0n)
    gift.amount -= micros
    gift.left -= micros
    this.wallet.posted -= micros
    return micros
  }

  /** Takes gifts first, then paid money, and creates debt for the rest. */
  takeFromWallet(micros: bigint): { gift: bigint; wallet: bigint; overdraft: bigint } {
    const positive = max(this.wallet.posted, 0n)
    this.wallet.posted -= micros
    let rest = min(micros, this.given)
    const gift = rest
    for (const each of this.#gifts) {
      const taken = min(each.left, rest)
      each.left -= taken
      rest -= taken
    }
    const wallet = min(micros - gift, positive - gift)
    return { gift, wallet, overdraft: micros - gift - wallet }
  }

  /** A team member's hold at their share is also a hold at the payer's wallet or pool. */
  holdAt(source: Source, micros: bigint): void {
    source.held += micros
    if (source.pool) source.pool.held += micros
    else if (source.payer) source.payer.wallet.held += micros
  }

  /** Leaves the balances of gifts in the wallet unchanged. */
  postAt(source: Source, amount: bigint): void {
    source.posted += amount
    if (source.pool) source.pool.posted += amount
    else if (source.payer) source.payer.wallet.posted += amount
  }

  /** Returns the parts of the charge in the order of payment. */
  debit(legs: readonly OwnLeg[]): Part[] {
    const parts: Part[] = []
    const fromWallet = { gift: 0n, wallet: 0n, overdraft: 0n }
    for (const { amount, micros, source } of legs) {
      if (source.kind === 'wallet') {
        const { gift, overdraft, wallet } = this.takeFromWallet(amount)
        fromWallet.gift += gift
        fromWallet.wallet += wallet
        fromWallet.overdraft += overdraft
        continue
      }
      source.posted -= amount
      if (source.pool) source.pool.posted -= amount
      else if (source.payer) {
        const { gift, wallet } = source.payer.takeFromWallet(amount)
        parts.push({ paidBy: 'gift', source, amount: gift, micros: gift, returned: 0n })
        parts.push({ paidBy: 'wallet', source, amount: wallet, micros: wallet, returned: 0n })
        continue
      }
      const isPool = source.kind === 'pool' || source.kind === 'team_pool'
      const paidBy = isCredit(source) ? 'gift' : isPool ? 'plan' : 'onDemand'
      parts.push({ paidBy, source, amount, micros, returned: 0n })
    }
    for (const paidBy of ['gift', 'wallet', 'overdraft'] as const) {
      const micros = fromWallet[paidBy]
      parts.push({ paidBy, source: this.wallet, amount: micros, micros, returned: 0n })
    }
    return parts.toSorted((one, other) => rankOf(one) - rankOf(other))
  }

  /** The last payer is refunded first. */
  refund(id: string, parts: readonly Part[], micros: bigint, now: number): Paid {
    this.open(now)
    const paid: Paid = { plan: 0n, gift: 0n, wallet: 0n, onDemand: 0n, overdraft: 0n }
    let rest = micros
    let converted = 0n
    let fresh = 0n
    let restored = 0n
    for (const part of parts.toReversed()) {
      const taken = min(part.micros - part.returned, rest)
      if (taken === 0n) continue
      const before = (part.amount * part.returned) / part.micros
      part.returned += taken
      rest -= taken
      paid[part.paidBy] += taken
      const amount = (part.amount * part.returned) / part.micros - before
      if (part.source.payer && !part.source.pool) {
        this.postAt(part.source, taken)
        if (part.paidBy === 'gift') part.source.payer.restore(taken)
        continue
      }
      if (part.source.kind !== 'wallet' && this.takesBack(part.source, now)) {
        this.postAt(part.source, amount)
        continue
      }
      if (part.source.payer) {
        part.source.posted += taken
        part.source.payer.receive(id, taken)
        continue
      }
      const debt = max(-this.wallet.posted, 0n)
      const beyondDebt = max(taken - debt, 0n)
      this.wallet.posted += taken
      if (part.source.kind !== 'wallet') converted += taken
      if (part.paidBy === 'overdraft') converted += beyondDebt
      if (part.source.kind !== 'wallet' || part.paidBy === 'overdraft') fresh += beyondDebt
      else if (part.paidBy === 'gift') restored += beyondDebt
    }
    // The part of a gift that reduced a debt counts as spent, as in `give`.
    if (converted > 0n) this.#gifts.push({ id, amount: converted, left: fresh })
    this.restore(restored)
    return paid
  }

  /** The pool that paid has ended and cannot take the amount back, so the member's refund becomes a gift. */
  receive(id: string, micros: bigint): void {
    const debt = max(-this.wallet.posted, 0n)
    this.wallet.posted += micros
    this.#gifts.push({ id, amount: micros, left: max(micros - debt, 0n) })
  }

  /** The newest gift is restored first. */
  restore(micros: bigint): void {
    let rest = micros
    for (const gift of this.#gifts.toReversed()) {
      const back = min(gift.amount - gift.left, rest)
      gift.left += back
      rest -= back
    }
    if (rest > 0n) throw new Error(`a refund returns ${rest} that no gift has lost`)
  }

  /** True for a pool of the current plan, a gift that has not expired, and the current month of on-demand. */
  takesBack(source: Source, now: number): boolean {
    if (!isOpen(source, now)) return false
    if (source.pool && source.payer) return source.payer.takesBack(source.pool, now)
    return source.kind === 'on_demand' || isCredit(source) || source.bundle === this.bundle.slug
  }

  get walletPosted(): bigint {
    return this.wallet.posted
  }

  get held(): bigint {
    return this.wallet.held
  }

  onDemandSpent(now: number): bigint {
    return -(this.thisMonth(now)?.posted ?? 0n)
  }

  /** Remaining amounts of the current pools, by slug. */
  pools(now: number): Map<string, bigint> {
    return this.#left(this.#poolsHere(now), now)
  }

  /**
   * Remaining amounts of the current pools, by slug. Carried-over credit is excluded, because plans do not share it.
   */
  newPools(now: number): Map<string, bigint> {
    return this.#left(
      this.#poolsHere(now).filter(({ rolled }) => rolled === 0),
      now,
    )
  }

  #left(sources: readonly Source[], now: number): Map<string, bigint> {
    const withheld = this.#withheld(now)
    const left = new Map<string, bigint>()
    for (const source of sources) {
      const slug = source.include?.slug ?? ''
      left.set(slug, (left.get(slug) ?? 0n) + source.posted - (withheld.get(source) ?? 0n))
    }
    return left
  }

  /** Creates the sources that are due: each month's pools and on-demand, and sign-up pools once. */
  open(now: number): void {
    const at = new Date(now)
    if (!this.thisMonth(now))
      this.#add({
        kind: 'on_demand',
        unit: 'micros',
        include: null,
        from: Date.UTC(at.getUTCFullYear(), at.getUTCMonth()),
        until: Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1),
        granted: 0n,
      })
    for (let month = monthOf(this.anchor, this.#since); ; month = monthOf(this.anchor, month.until)) {
      const isNow = now < month.until
      this.#carryOver(month)
      this.#grant(month, isNow ? now : month.from, isNow)
      if (isNow) return
    }
  }

  /**
   * Creates the pools of a month. For an earlier month, creates only pools that roll over, because a part of their
   * amount is carried over to the next month.
   */
  #grant(month: Month, now: number, isNow: boolean): void {
    const here = this.#poolsHere(now).filter(({ rolled }) => rolled === 0)
    for (const include of this.bundle.includes) {
      if (here.some((source) => source.include === include)) continue
      const { amount, recurring, rollover, unit } = include
      if (!isNow && rollover === null) continue
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

  #carryOver({ from, until }: Month): void {
    if (from <= this.#since) return
    const withheld = this.#withheld(from - 1)
    for (const source of this.sources.filter((each) => each.until === from)) {
      const { bundle, include, posted, rolled, unit } = source
      if (bundle !== this.bundle.slug || !include?.rollover || rolled >= include.rollover.periodsMax) continue
      if (this.sources.some((each) => each.from === from && each.include === include && each.rolled > rolled))
        continue
      const left = posted - (withheld.get(source) ?? 0n)
      const granted = (left * BigInt(include.rollover.percent)) / 100n
      if (granted > 0n) this.#add({ kind: 'pool', unit, include, from, until, granted }, rolled + 1)
    }
  }

  #poolsHere(now: number): Source[] {
    return this.sources.filter(
      (source) => source.kind === 'pool' && source.bundle === this.bundle.slug && isOpen(source, now),
    )
  }

  /**
   * The pools of this plan are reduced by the amounts that pools of other plans in the same unit have paid or hold this
   * month. The pool with the same slug is reduced first, and then the other pools one after the other. All plans of a
   * month together give the grant of the largest plan.
   */
  #withheld(now: number): Map<Source, bigint> {
    const taken = (source: Source): bigint => source.granted - source.posted + source.held
    const recurring = this.#poolsHere(now).filter(
      ({ include, rolled }) => include?.recurring === true && rolled === 0,
    )
    const elsewhere = this.sources
      .filter(
        (source) =>
          source.kind === 'pool' &&
          source.include?.recurring === true &&
          source.rolled === 0 &&
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

  #add(fields: Pick<Source, 'kind' | 'unit' | 'include' | 'from' | 'until' | 'granted'>, rolled = 0): void {
    const { granted, include, until } = fields
    this.#age += 1
    this.sources.push({
      ...fields,
      id: `${fields.kind} ${include?.slug ?? ''} ${this.#age}`,
      bundle: include === null ? null : this.bundle.slug,
      rolled,
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

  subscribe(bundle: Bundle, now: number): void {
    this.open(now)
    if (bundle.slug !== this.bundle.slug) this.#since = now
    this.bundle = bundle
    this.bills.changePlan(bundle.plan, now)
    this.open(now)
  }

  /** In the order of payment. */
  payers(model: string, bundle: Bundle, now: number, ignoresInvoices = false): Source[] {
    const credits = bundle.credits[model] ?? null
    const line = this.#poolsInLine(model, now, ({ unit }) => unit === 'micros' || credits !== null)
    if (line.at(-1)?.include?.thenOnDemand === false) return line
    const { team } = this
    if (team !== null && !team.payer.isFrozen) {
      for (const pool of team.payer.sharedPools(model, now)) line.push(this.poolShare(team, pool))
    }
    line.push(...this.#credits(now).toSorted((one, other) => compare(one.rank, other.rank)))
    if (team !== null && !team.payer.isFrozen) line.push(this.share(team, now))
    line.push(this.wallet)
    const month = this.thisMonth(now)
    if (this.onDemand.isOn && month && (ignoresInvoices || !this.bills.isOverdue(now))) line.push(month)
    return line
  }

  sharedPools(model: string, now: number): readonly Source[] {
    this.open(now)
    return this.#poolsInLine(
      model,
      now,
      ({ include, rolled }) => rolled === 0 && (include?.memberCap ?? null) !== null,
    )
  }

  /** In the order of payment. */
  #poolsInLine(model: string, now: number, isPaying: (pool: Source) => boolean): Source[] {
    const waiting = this.#poolsHere(now)
      .filter((source) => (source.include?.models?.includes(model) ?? true) && isPaying(source))
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
    return line
  }

  poolShare({ payer, payerId }: Membership, pool: Source): Source {
    const known = this.sources.find((source) => source.pool === pool)
    if (known) return known
    const { from, until } = pool
    const fields = { include: null, bundle: null, rolled: 0, granted: 0n, posted: 0n, held: 0n, rank: [] }
    const share: Source = {
      ...fields,
      id: `team ${payerId} ${pool.id}`,
      kind: 'team_pool',
      unit: 'micros',
      payer,
      pool,
      from,
      until,
    }
    this.sources.push(share)
    return share
  }

  /** The share is for the calendar month that contains `now`. */
  share({ payer, payerId }: Membership, now: number): Source {
    const at = new Date(now)
    const from = Date.UTC(at.getUTCFullYear(), at.getUTCMonth())
    const until = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1)
    const known = this.sources.find(
      (source) => source.kind === 'team' && source.payer === payer && source.from === from,
    )
    if (known) return known
    const fields = { include: null, bundle: null, rolled: 0, granted: 0n, posted: 0n, held: 0n, rank: [] }
    const share: Source = {
      ...fields,
      id: `team ${payerId} ${from}`,
      kind: 'team',
      unit: 'micros',
      payer,
      from,
      until,
    }
    this.sources.push(share)
    return share
  }

  spentFromPools(payerId: string, now: number): bigint {
    const shares = this.sources.filter(
      (source) =>
        source.kind === 'team_pool' && source.id.startsWith(`team ${payerId} `) && isOpen(source, now),
    )
    return shares.reduce((sum, { posted }) => sum - posted, 0n)
  }

  thisMonth(now: number): Source | undefined {
    return this.sources.find((source) => source.kind === 'on_demand' && isOpen(source, now))
  }

  /** Excludes spent amounts, and held amounts if `isHeldCounted` is true. Null means that the source is unlimited. */
  freeOf(source: Source, isHeldCounted: boolean, now: number, ignoresInvoices = false): bigint | null {
    if (source.payer) {
      const { held, posted } = source.pool ?? source.payer.wallet
      const left = posted - (isHeldCounted ? held : 0n)
      const cap = source.pool ? (source.pool.include?.memberCap ?? null) : (this.team?.cap ?? null)
      return cap === null ? left : min(left, cap + source.posted - (isHeldCounted ? source.held : 0n))
    }
    const withheld = source.kind === 'pool' ? (this.#withheld(now).get(source) ?? 0n) : 0n
    const free = source.posted - withheld - (isHeldCounted ? source.held : 0n)
    if (source.kind !== 'on_demand') return free
    if (!this.onDemand.isOn || (!ignoresInvoices && this.bills.isOverdue(now))) return 0n
    return this.onDemand.limit === null ? null : this.onDemand.limit + free
  }
}
