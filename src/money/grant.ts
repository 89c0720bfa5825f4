/**
 * The pools of a subscription, and money for the wallet.
 *
 * A pool is one row per include and period, with everything about it fixed when it is granted: a
 * later change of the bundle changes no pool. Recurring includes are granted once per **month** from
 * the anchor, also on yearly bundles (a year's tokens on the first day help neither side); the others
 * once per person, at sign-up, and never again.
 *
 * What a plan does to its pools after that, each with an entry on the pool's own ledger:
 *
 *     its period is over             what is free lapses                       reversal    expired
 *     the person leaves the plan     what is free is taken off, and kept       reversal    plan_changed
 *     the person comes back          it is given back                          adjustment  plan_changed
 *     other plans have paid in the   of a recurring pool that much is taken    adjustment  used_on_another_plan
 *       same period                    off, so that moving to and fro yields
 *                                      no more than the largest plan
 *
 * What calls in flight hold stays theirs: only what is free is ever taken. When they give some of it back,
 * it is free, and the same rules take it then. `poolChanges` may be asked at any time and any number of
 * times: it answers with what is missing, and with nothing once that is written.
 */
import { assertMoney } from './amount.ts'
import type { PoolSource, Unit } from './hold.ts'
import { isAllowed } from './name-pattern.ts'
import { periodAt, type Interval } from './period.ts'
import { applyPosting, entryPosting, poolPosting, type LedgerKind, type Posting } from './posting.ts'

/** What a bundle says that a subscription grants. */
export interface IncludeTerms {
  readonly slug: string
  readonly displayName: string
  readonly unit: Unit
  /** Micros, or millionths of a credit. */
  readonly amount: bigint
  /** What it sells for separately; null or 0n: free. */
  readonly priceMicros: bigint | null
  readonly thenOnDemand: boolean
  readonly recurring: boolean
  /** As `PoolSource` has it. */
  readonly spilloverTo: string | null
  /** Patterns of the names it may pay for; null: whatever the bundle allows. */
  readonly models: readonly string[] | null
}

/** The same with what is looked up at the moment of the grant. */
export interface Include extends IncludeTerms {
  /** The bundle's credit currency; null for micros. */
  readonly currency: string | null
  readonly models: readonly string[]
  /** How many names those are now: fewest pays first. */
  readonly modelCount: number
}

/** @param names of the application; asked for only when a pool is granted */
export function includeOf(
  terms: IncludeTerms,
  bundle: {
    readonly allow: readonly string[]
    readonly deny: readonly string[]
    readonly creditCurrency: string | null
  },
  names: () => readonly string[],
): Include {
  const { allow, creditCurrency, deny } = bundle
  const models = terms.models ?? allow
  return {
    ...terms,
    currency: terms.unit === 'credits' ? creditCurrency : null,
    models,
    get modelCount() {
      return names().filter((name) => isAllowed(name, models, deny)).length
    },
  }
}

/** A pool of a person, of whichever plan. */
export interface OwnedPool {
  readonly source: PoolSource
  readonly bundleId: string
  readonly displayName: string
  readonly recurring: boolean
  /** What its include sold for when it was granted. */
  readonly priceMicros: bigint | null
}

export interface PoolsInput {
  /** The bundle that the person is on; null: none. */
  readonly bundleId: string | null
  readonly includes: readonly Include[]
  /** When the subscription's periods began. A change of bundle does not move them. */
  readonly anchorMs: number
  /** When the person came to this bundle. */
  readonly sinceMs: number
  readonly interval: Interval
  readonly nowMs: number
  /** At least those that are not over, suspended ones too, and those that are over with something on them. */
  readonly pools: readonly OwnedPool[]
}

export interface PoolChanges {
  /** Pools to make, which stand at 0; their grants are among the postings. */
  readonly granted: readonly OwnedPool[]
  /** One ledger entry each, in this order. */
  readonly postings: readonly Posting[]
  /** Until then no time brings another change; what calls give back may. */
  readonly untilMs: number
}

/** What the pools of a person lack by now: grants, and what the table at the top of this file says. */
export function poolChanges(input: PoolsInput): PoolChanges {
  const { anchorMs, bundleId } = input
  // In the order of their grants, whatever the order in which they were loaded: "one after the other" must
  // mean the same each time, or what is withheld would move between pools.
  const pools = input.pools.toSorted((one, other) => one.source.rank.sequence - other.source.rank.sequence)
  const nowMs = begunAtMs(input)
  const month = periodAt(anchorMs, 'month', nowMs)
  assertMoney(month.index >= 0, 'poolChanges: no pool before the anchor')
  const postings: Posting[] = []
  const elsewhere: PoolSource[] = []
  const here: OwnedPool[] = []
  for (const pool of pools) {
    const { source } = pool
    const free = source.posted - source.held
    if (isOver(source, nowMs)) {
      if (free > 0n) postings.push(poolPosting(source, -free, 'reversal', 'expired'))
    } else if (pool.bundleId === bundleId) {
      here.push(pool)
    } else {
      if (free > 0n) postings.push(poolPosting(source, -free, 'reversal', 'plan_changed'))
      if (pool.recurring) elsewhere.push(source)
    }
  }
  const granted = grantsDue(input, here, month, nowMs)
  const standing = [...here]
  for (const pool of granted) {
    const { source } = pool
    const posting = poolPosting(source, source.granted, 'grant', 'included')
    postings.push(posting)
    standing.push({ ...pool, source: applyPosting(source, posting) })
  }
  postings.push(...returning(standing, elsewhere))
  const isQuiet = input.includes.length === 0 && pools.length === 0
  return { granted, postings, untilMs: isQuiet ? Infinity : month.endsAtMs }
}

/** The pools once the changes are made, as a person is shown them before a call has made them. */
export function poolsAfter(pools: readonly OwnedPool[], { granted, postings }: PoolChanges): OwnedPool[] {
  return [...pools, ...granted].map((pool) => {
    let { source } = pool
    for (const posting of postings) {
      if (posting.sourceId === source.id) source = applyPosting(source, posting)
    }
    return { ...pool, source }
  })
}

/**
 * Now, or what another process took for now: a period that was begun for this person has begun, also for
 * a process whose clock is a little behind, and what has lapsed does not come back.
 */
function begunAtMs({ anchorMs, nowMs, pools }: PoolsInput): number {
  let begunMs = Math.max(nowMs, anchorMs)
  for (const { recurring, source } of pools) if (recurring) begunMs = Math.max(begunMs, source.startsAtMs)
  return begunMs
}

function grantsDue(
  { anchorMs, bundleId, includes, interval, pools, sinceMs }: PoolsInput,
  here: readonly OwnedPool[],
  month: { readonly startsAtMs: number; readonly endsAtMs: number },
  nowMs: number,
): OwnedPool[] {
  if (bundleId === null || includes.length === 0) return []
  const signUp = periodAt(anchorMs, interval, Math.max(sinceMs, anchorMs))
  const isSignUp = periodAt(anchorMs, interval, nowMs).index <= signUp.index
  let sequence = 1
  for (const { source } of pools) sequence = Math.max(sequence, source.rank.sequence + 1)
  const due: OwnedPool[] = []
  for (const include of includes) {
    const { recurring, slug } = include
    if (here.some((pool) => pool.source.slug === slug && pool.recurring === recurring)) continue
    if (!recurring && !isSignUp) continue
    due.push(newPool(bundleId, include, month, sequence++))
  }
  return due
}

function newPool(
  bundleId: string,
  include: Include,
  { endsAtMs, startsAtMs }: { readonly startsAtMs: number; readonly endsAtMs: number },
  sequence: number,
): OwnedPool {
  const { amount, currency, displayName, priceMicros, recurring, slug, unit } = include
  assertMoney(amount > 0n, 'what is included is something')
  assertMoney((unit === 'credits') === (currency !== null), 'credits have a currency')
  return {
    source: {
      kind: 'pool',
      // The same for every process that grants it, so that the row's key makes it happen once.
      id: `${bundleId}/${slug}/${recurring ? startsAtMs : 'once'}`,
      slug,
      unit,
      currency,
      posted: 0n,
      held: 0n,
      granted: amount,
      withheld: 0n,
      expired: 0n,
      isSuspended: false,
      rank: {
        models: include.modelCount,
        endsAtMs: recurring ? endsAtMs : Number.MAX_SAFE_INTEGER,
        isPaid: priceMicros !== null && priceMicros > 0n,
        sequence,
      },
      models: include.models,
      spilloverTo: include.spilloverTo,
      thenOnDemand: include.thenOnDemand,
      startsAtMs,
      endsAtMs: recurring ? endsAtMs : null,
    },
    bundleId,
    displayName,
    recurring,
    priceMicros,
  }
}

/**
 * Brings what is withheld from the plan's pools to what it should be: nothing for those of a sign-up; for
 * recurring ones what pools of other plans have paid in this period, or have promised to calls in flight,
 * in the same unit and currency. It is taken off the pool of the same slug first, then off one after the
 * other; beyond what they have free nothing is taken.
 */
function returning(here: readonly OwnedPool[], elsewhere: readonly PoolSource[]): Posting[] {
  const used = new Map<PoolSource, bigint>()
  for (const source of elsewhere) used.set(source, usedOf(source))
  const recurring = here.filter((pool) => pool.recurring).map(({ source }) => source)
  const withheld = new Map<PoolSource, bigint>()
  const take = (source: PoolSource, isFrom: (other: PoolSource) => boolean): void => {
    for (const [other, left] of used) {
      if (other.unit !== source.unit || other.currency !== source.currency || !isFrom(other)) continue
      const taken = withheld.get(source) ?? 0n
      const room = source.granted - usedOf(source) - source.expired - taken
      const more = left < room ? left : room
      withheld.set(source, taken + more)
      used.set(other, left - more)
    }
  }
  for (const source of recurring) take(source, ({ slug }) => slug === source.slug)
  for (const source of recurring) take(source, () => true)

  const postings: Posting[] = []
  for (const { source } of here) {
    const back = source.withheld - (withheld.get(source) ?? 0n)
    if (back > 0n) postings.push(poolPosting(source, back, 'adjustment', 'plan_changed'))
    if (back < 0n) postings.push(poolPosting(source, back, 'adjustment', 'used_on_another_plan'))
  }
  return postings
}

/** What calls have taken of it, or were promised. */
function usedOf({ expired, granted, held, posted, withheld }: PoolSource): bigint {
  const used = granted - posted - withheld - expired + held
  assertMoney(used >= 0n, 'no pool has more than it was granted')
  return used
}

function isOver({ endsAtMs }: PoolSource, nowMs: number): boolean {
  return endsAtMs !== null && endsAtMs <= nowMs
}

/** Money for the wallet. Its debt, if it has one, is paid first by nature of a balance. */
export function creditWallet(
  walletId: string,
  amountMicros: bigint,
  entry: Extract<LedgerKind, 'topup' | 'grant'>,
): Posting {
  assertMoney(amountMicros > 0n, 'creditWallet: at least one micro')
  return entryPosting(walletId, 'micros', amountMicros, entry)
}

/** A payment that was taken back (a chargeback): the wallet may owe from now on. Once per top-up. */
export function reverseTopup(walletId: string, amountMicros: bigint): Posting {
  assertMoney(amountMicros > 0n, 'reverseTopup: at least one micro')
  return entryPosting(walletId, 'micros', -amountMicros, 'reversal', true)
}
