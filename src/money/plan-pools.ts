/**
 * The pools of a subscription, and money for the wallet.
 *
 * A pool is one row per include and period. Its grant fixes everything about it: a later change of the bundle
 * changes no pool. Recurring includes are granted once per **month** from the anchor, also on yearly bundles
 * (a year's tokens on the first day help neither side); the others once per end user, at sign-up.
 *
 * The terms of a bundle's includes are dated. A one-time include is granted on the terms of the moment when the
 * end user came to the plan, a recurring one on those of the moment when its month began (or the end user came,
 * if that was later). So a grant does not depend on when it is written: a crash, an idle end user or a late
 * request cannot lose one, and a later edit of the bundle cannot change one.
 *
 * What a plan does to its pools after that, each with an entry on the pool's own ledger:
 *
 *     its period is over             what is free lapses                       reversal    expired
 *     the person leaves the plan     what is free is taken off, and kept       reversal    plan_changed
 *     the person comes back          it is given back                          adjustment  plan_changed
 *     the person is removed          what is free is taken off, for good       reversal    end_user_removed
 *     other plans have paid in the   of a recurring pool that much is taken    adjustment  used_on_another_plan
 *       same period                    off, so that moving to and fro yields
 *                                      no more than the largest plan
 *
 * Calls in flight keep what they hold: only free money is taken. What they give back is free, and the same
 * rules take it then. `poolChanges` may be called at any time and any number of times: it answers the missing
 * changes, and none once they are written.
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
  /** Its separate price; null or 0n: free. */
  readonly priceMicros: bigint | null
  readonly thenOnDemand: boolean
  readonly recurring: boolean
  /** See `PoolSource`. */
  readonly spilloverTo: string | null
  /** Patterns of the aliases it may pay for; null: all that the bundle allows. */
  readonly models: readonly string[] | null
}

/** The time in which the terms of an include apply, by the clock of the mode. */
export interface TermsSpan {
  readonly fromMs: number
  /** Exclusive; null: they apply now. */
  readonly untilMs: number | null
  /** Whether the terms may have applied before `fromMs`: the store did not date changes then. */
  readonly isUndated: boolean
}

/** The terms with the facts that are looked up at the moment of the grant. */
export interface Include extends IncludeTerms, TermsSpan {
  /** The bundle's credit currency; null for micros. */
  readonly currency: string | null
  readonly models: readonly string[]
  /** How many aliases those are now: the pool with the fewest pays first. */
  readonly modelCount: number
}

/** @param names of the aliases of the application; called only when a pool is granted */
export function includeOf(
  terms: IncludeTerms & TermsSpan,
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
  /** The price of its include when it was granted. */
  readonly priceMicros: bigint | null
}

export interface PoolsInput {
  /** The bundle that the person is on; null: none. */
  readonly bundleId: string | null
  /** True of a person who is gone, and so is on no bundle any more. */
  readonly isRemoved: boolean
  /** Of the bundle, with the former terms of each. */
  readonly includes: readonly Include[]
  /** When the subscription's periods began. A change of bundle does not move them. */
  readonly anchorMs: number
  /** When the person came to this bundle. */
  readonly sinceMs: number
  readonly interval: Interval
  readonly nowMs: number
  /** At least the pools that are not over, suspended ones too, and ended ones with something left on them. */
  readonly pools: readonly OwnedPool[]
}

export interface PoolChanges {
  /** New pools, with a balance of 0; the postings hold their grants. */
  readonly granted: readonly OwnedPool[]
  /** One ledger entry each, in this order. */
  readonly postings: readonly Posting[]
  /** Until then the clock brings no other change; only money that calls give back may. */
  readonly untilMs: number
}

/**
 * The changes that the pools of a person lack by now: grants, and the rows of the table at the top of this file.
 */
export function poolChanges(input: PoolsInput): PoolChanges {
  const { anchorMs, bundleId, isRemoved } = input
  assertMoney(!isRemoved || bundleId === null, 'poolChanges: who is removed is on no bundle')
  // Sorted by grant: the order must be the same each time, or withheld money would move between pools.
  const pools = input.pools.toSorted((one, other) => one.source.rank.sequence - other.source.rank.sequence)
  const nowMs = begunAtMs(input)
  const month = periodAt(anchorMs, 'month', nowMs)
  assertMoney(month.index >= 0, 'poolChanges: the anchor is not later than now')
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
      const reason = isRemoved ? 'end_user_removed' : 'plan_changed'
      if (free > 0n) postings.push(poolPosting(source, -free, 'reversal', reason))
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

/** The pools after the changes: what a person is shown before a call has made the changes. */
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
 * Now, or the later now of another process: a period that began for this person has begun for a process with
 * a slower clock too, and what has lapsed does not come back.
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
  const joinedMs = Math.max(sinceMs, anchorMs)
  const signUp = periodAt(anchorMs, interval, joinedMs)
  const isSignUp = periodAt(anchorMs, interval, nowMs).index <= signUp.index
  let sequence = 1
  for (const { source } of pools) sequence = Math.max(sequence, source.rank.sequence + 1)
  const due: OwnedPool[] = []
  for (const include of includes) {
    const { recurring, slug } = include
    const isThere = ({ recurring: isRecurring, source }: OwnedPool): boolean =>
      source.slug === slug && isRecurring === recurring
    if (here.some(isThere) || due.some(isThere)) continue
    if (!appliedAt(include, recurring ? Math.max(month.startsAtMs, joinedMs) : joinedMs, isSignUp)) continue
    due.push(newPool(bundleId, include, month, sequence++))
  }
  return due
}

/**
 * Whether the terms applied at that moment. For a moment before changes were dated, the rule of then: the terms
 * apply, but to a one-time include only until the period is over in which the end user came.
 */
function appliedAt(
  { fromMs, isUndated, recurring, untilMs }: Include,
  atMs: number,
  isSignUp: boolean,
): boolean {
  if (untilMs !== null && untilMs <= atMs) return false
  return fromMs <= atMs || (isUndated && (recurring || isSignUp))
}

function newPool(
  bundleId: string,
  include: Include,
  { endsAtMs, startsAtMs }: { readonly startsAtMs: number; readonly endsAtMs: number },
  sequence: number,
): OwnedPool {
  const { amount, currency, displayName, priceMicros, recurring, slug, unit } = include
  assertMoney(amount > 0n, `include ${slug} of bundle ${bundleId} grants ${amount}`)
  assertMoney(
    (unit === 'credits') === (currency !== null),
    `include ${slug} of bundle ${bundleId}: ${unit} in currency ${currency}`,
  )
  return {
    source: {
      kind: 'pool',
      // The same id in every process, so that the row's key lets one grant happen.
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
 * Brings the amount withheld from the plan's pools to what it should be: 0 for sign-up pools; for recurring ones
 * what pools of other plans have paid in this period, or have promised to calls in flight, in the same unit and
 * currency. The pool of the same slug gives first, then the others in order; none gives more than it has free.
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

/** What calls have taken from the pool, or hold of it. */
function usedOf({ expired, granted, held, posted, withheld }: PoolSource): bigint {
  const used = granted - posted - withheld - expired + held
  assertMoney(used >= 0n, 'no pool has more than it was granted')
  return used
}

function isOver({ endsAtMs }: PoolSource, nowMs: number): boolean {
  return endsAtMs !== null && endsAtMs <= nowMs
}

/** Money for the wallet. A wallet below 0 pays its debt with it. */
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
