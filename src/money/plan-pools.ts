/**
 * Computes the pools of a subscription and their changes.
 *
 * Each grant of an included pool creates a new pool. The grant fixes all properties of the pool, so later changes of
 * the bundle do not affect the pool. Recurring included pools are granted once per **month** from the anchor, even on
 * yearly bundles. A one-time included pool is granted once, at sign-up.
 *
 * The terms of a bundle's included pools are stored with the time range in which they apply. A one-time included pool
 * is granted on the terms that applied when the end user joined the plan. A recurring included pool is granted on the
 * terms at the beginning of its month, or when the end user joined if that was later. A grant therefore does not depend
 * on when it is written. A crash, an idle end user or a late request never loses a grant, and a later change of the
 * bundle never alters a grant.
 *
 * A pool of a plan changes later in the following ways, each with an entry on the pool's own ledger:
 *
 *     its period ends                  free credit expires                     reversal    expired
 *                                      or is partly carried over (rollover)    reversal    rolled_over
 *                                      to a pool of the next period            grant       rolled_over
 *     the end user leaves the plan     free credit is withheld                 reversal    plan_changed
 *     the end user returns             withheld credit is given back           adjustment  plan_changed
 *     the end user is removed          free credit is removed permanently      reversal    end_user_removed
 *     other plans have paid in the     that amount is withheld from a          adjustment  used_on_another_plan
 *       same period                    recurring pool, so that switching
 *                                      plans yields no more than the largest
 *                                      plan
 *
 * Carried-over credit gets its own pool, so that the age of the credit is known. `rolled` counts how often the pool's
 * credit was carried over. The oldest pool pays first, and credit is carried over at most `periodsMax` times. A month
 * in which nothing was written is processed later, so that an idle end user keeps the unspent credit.
 *
 * Expiring credit is also a pool, but belongs to no plan and is not affected by plan changes. At the end of the pool's
 * period, expiring credit that is neither spent nor held expires.
 *
 * Only free credit is removed, so requests in flight keep their holds. When a request returns a held amount, the amount
 * becomes free, and the same rules remove it. `poolChanges` can be called at any time and any number of times, and
 * returns only changes that are not written yet.
 */
import { assertMoney, ceilDiv } from './amount.ts'
import type { PoolSource, Unit } from './decision-types.ts'
import { isAllowed } from './model-name-pattern.ts'
import { boundary, periodAt, type Interval, type Period } from './periods-and-windows.ts'
import { applyPosting, poolPosting, type Posting } from './posting.ts'
import { withheldPostings } from './credit-withheld-after-plan-change.ts'

export interface IncludeTerms {
  readonly slug: string
  readonly displayName: string
  readonly unit: Unit
  /** In micros, or in millionths of a credit. */
  readonly amount: bigint
  /** The price of the included credit, apart from the plan's price. Null or 0n means free. */
  readonly priceMicros: bigint | null
  readonly thenOnDemand: boolean
  readonly recurring: boolean
  readonly spilloverTo: string | null
  /** Null means every alias that the bundle allows. */
  readonly models: readonly string[] | null
  /** Null for credits, because members may be on bundles with other credit prices. */
  readonly memberCap: bigint | null
  /** Null means that unspent credit is not carried over. */
  readonly rollover: Rollover | null
}

export interface Rollover {
  /** From 1 to 100. The carried amount is rounded down. */
  readonly percent: number
  /** How many times the same credit can be carried over, from 1 to `rolloverPeriodsMax`. */
  readonly periodsMax: number
}

/** Number of past months for which the store must keep pools that have a rollover. */
export const rolloverPeriodsMax = 12

/** The range uses the clock of the end user's mode (live or test). */
export interface TermsSpan {
  readonly fromMs: number
  /** End of the range (exclusive). Null means that the terms still apply. */
  readonly untilMs: number | null
  /** Whether the terms may also have applied before `fromMs`, because they were stored before changes were dated. */
  readonly isUndated: boolean
}

export interface Include extends IncludeTerms, TermsSpan {
  /** Null for micros. */
  readonly currency: string | null
  readonly models: readonly string[]
  /** Number of aliases that the patterns currently match. The pool with the fewest aliases pays first. */
  readonly modelCount: number
}

/** @param names returns the aliases of the application; called only when a pool is granted */
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

export interface OwnedPool {
  readonly source: PoolSource
  /** Null for expiring credit, which belongs to no plan. */
  readonly bundleId: string | null
  readonly displayName: string
  readonly recurring: boolean
  /** The rule that applied when the pool was granted. */
  readonly rollover: Rollover | null
  /** 0 means that the credit was granted for the pool's own period. */
  readonly rolled: number
  /** The price of the granted amount. Carried-over credit has its share of the price. */
  readonly priceMicros: bigint | null
}

export interface PoolsInput {
  readonly bundleId: string | null
  /** A deleted end user has no bundle. */
  readonly isRemoved: boolean
  readonly includes: readonly Include[]
  /** A change of bundle does not change this time. */
  readonly anchorMs: number
  readonly sinceMs: number
  readonly interval: Interval
  readonly nowMs: number
  /**
   * The list must include all pools that have not ended, even suspended pools. The list must also include ended pools
   * with a balance, and pools with a rollover that ended in the last `rolloverPeriodsMax` months.
   */
  readonly pools: readonly OwnedPool[]
}

export interface PoolChanges {
  /** The postings of new pools contain the granted amounts. */
  readonly granted: readonly OwnedPool[]
  /** The entries must be written in this order. */
  readonly postings: readonly Posting[]
  /**
   * The time at which the next change becomes due. Before this time, a change becomes due only if a request returns
   * money.
   */
  readonly untilMs: number
}

/** See the table at the top of this file. */
export function poolChanges(input: PoolsInput): PoolChanges {
  const { anchorMs, bundleId, isRemoved } = input
  assertMoney(!isRemoved || bundleId === null, 'poolChanges: who is removed is on no bundle')
  const nowMs = begunAtMs(input)
  const month = periodAt(anchorMs, 'month', nowMs)
  assertMoney(month.index >= 0, 'poolChanges: the anchor is not later than now')
  const granted: OwnedPool[] = []
  const postings: Posting[] = []
  // Sort the pools in the order of their grants, because another order would move withheld money between pools.
  let pools = input.pools.toSorted((one, other) => one.source.rank.sequence - other.source.rank.sequence)
  for (const begun of [...missedMonths(input, month), month]) {
    const isMissed = begun !== month
    const atMs = isMissed ? begun.startsAtMs : nowMs
    const changes = isMissed
      ? missed({ ...input, pools }, begun)
      : changesNow({ ...input, pools }, begun, atMs)
    granted.push(...changes.granted)
    postings.push(...changes.postings)
    pools = poolsAfter(pools, changes)
  }
  const isQuiet = input.includes.length === 0 && pools.length === 0
  let untilMs = isQuiet ? Infinity : month.endsAtMs
  for (const { bundleId: plan, source } of pools) {
    if (plan === null && !isOver(source, nowMs)) untilMs = Math.min(untilMs, source.rank.endsAtMs)
  }
  return { granted, postings, untilMs }
}

type Month = Pick<Period, 'startsAtMs' | 'endsAtMs'>
type Changes = Pick<PoolChanges, 'granted' | 'postings'>

function missedMonths({ anchorMs, bundleId, includes, sinceMs }: PoolsInput, now: Period): Month[] {
  let most = 0
  for (const { recurring, rollover } of includes) {
    if (recurring && rollover !== null) most = Math.max(most, rollover.periodsMax)
  }
  if (bundleId === null || most === 0) return []
  const joined = periodAt(anchorMs, 'month', Math.max(sinceMs, anchorMs))
  const months: Month[] = []
  for (let index = Math.max(joined.index, now.index - most); index < now.index; index++) {
    months.push({
      startsAtMs: boundary(anchorMs, 'month', index),
      endsAtMs: boundary(anchorMs, 'month', index + 1),
    })
  }
  return months
}

/**
 * Returns the changes of a past month that are not written yet, for pools with a rollover. Credit of a pool without a
 * rollover can no longer be spent after its month, and needs no grant.
 */
function missed(input: PoolsInput, month: Month): Changes {
  const granted: OwnedPool[] = []
  const postings: Posting[] = []
  const here: OwnedPool[] = []
  for (const pool of input.pools) {
    if (pool.bundleId !== input.bundleId || pool.source.startsAtMs > month.startsAtMs) continue
    if (isOver(pool.source, month.startsAtMs)) carryOver(pool, month, input.pools, { granted, postings })
    else here.push(pool)
  }
  const includes = input.includes.filter(({ recurring, rollover }) => recurring && rollover !== null)
  grant(grantsDue({ ...input, includes }, here, month, month.startsAtMs, granted.length), {
    granted,
    postings,
  })
  return { granted, postings }
}

function changesNow(input: PoolsInput, month: Month, nowMs: number): Changes {
  const { bundleId, isRemoved, pools } = input
  const granted: OwnedPool[] = []
  const postings: Posting[] = []
  const elsewhere: PoolSource[] = []
  const here: OwnedPool[] = []
  for (const pool of pools) {
    const { source } = pool
    const free = source.posted - source.held
    if (isOver(source, nowMs)) {
      const carried = pool.bundleId === bundleId ? carryOver(pool, month, pools, { granted, postings }) : 0n
      if (free > carried) postings.push(poolPosting(source, carried - free, 'reversal', 'expired'))
    } else if (pool.bundleId === bundleId) {
      here.push(pool)
    } else if (pool.bundleId !== null) {
      const reason = isRemoved ? 'end_user_removed' : 'plan_changed'
      if (free > 0n) postings.push(poolPosting(source, -free, 'reversal', reason))
      if (pool.recurring) elsewhere.push(source)
    }
  }
  const standing = [...here]
  for (const pool of grant(grantsDue(input, here, month, nowMs, granted.length), { granted, postings })) {
    standing.push(pool)
  }
  postings.push(...withheldPostings(standing, elsewhere))
  return { granted, postings }
}

interface Writing {
  readonly granted: OwnedPool[]
  readonly postings: Posting[]
}

function grant(pools: readonly OwnedPool[], { granted, postings }: Writing): OwnedPool[] {
  return pools.map((pool) => {
    const { source } = pool
    const posting = poolPosting(source, source.granted, 'grant', pool.rolled > 0 ? 'rolled_over' : 'included')
    granted.push(pool)
    postings.push(posting)
    return { ...pool, source: applyPosting(source, posting) }
  })
}

/**
 * Carries over the credit of last month's pool that is neither spent nor held. The credit of a pool is carried over
 * only once. If requests in flight later return credit to the pool, that credit expires.
 * @returns the amount carried over
 */
function carryOver(pool: OwnedPool, month: Month, pools: readonly OwnedPool[], writing: Writing): bigint {
  const { priceMicros, rolled, rollover, source } = pool
  if (rollover === null || rolled >= rollover.periodsMax || source.endsAtMs !== month.startsAtMs) return 0n
  const id = `${pool.bundleId}/${source.slug}/${month.startsAtMs}/rolled${rolled + 1}`
  if (pools.some((other) => other.source.id === id)) return 0n
  const amount = ((source.posted - source.held) * BigInt(rollover.percent)) / 100n
  if (amount <= 0n) return 0n
  writing.postings.push(poolPosting(source, -amount, 'reversal', 'rolled_over'))
  const sequence = nextSequence(pools) + writing.granted.length
  const next: OwnedPool = {
    ...pool,
    source: {
      ...source,
      id,
      posted: 0n,
      held: 0n,
      granted: amount,
      withheld: 0n,
      expired: 0n,
      isSuspended: false,
      // Members cannot use carried-over credit, because a cap per pool would let a member use two caps in one period.
      memberCap: null,
      rank: { ...source.rank, endsAtMs: month.endsAtMs, sequence },
      startsAtMs: month.startsAtMs,
      endsAtMs: month.endsAtMs,
    },
    // The pool with carried-over credit is not recurring, so amounts that other plans have paid are not withheld from
    // it.
    recurring: false,
    rolled: rolled + 1,
    // Rounded up, because a pool with a price of 0 ranks as free.
    priceMicros: priceMicros === null ? null : ceilDiv(priceMicros * amount, source.granted),
  }
  grant([next], writing)
  return amount
}

function nextSequence(pools: readonly OwnedPool[]): number {
  let sequence = 1
  for (const { source } of pools) sequence = Math.max(sequence, source.rank.sequence + 1)
  return sequence
}

/** End users see the changed pools even before a request has written the changes. */
export function poolsAfter(
  pools: readonly OwnedPool[],
  { granted, postings }: Pick<PoolChanges, 'granted' | 'postings'>,
): OwnedPool[] {
  return [...pools, ...granted].map((pool) => {
    let { source } = pool
    for (const posting of postings) {
      if (posting.sourceId === source.id) source = applyPosting(source, posting)
    }
    return { ...pool, source }
  })
}

/**
 * Returns the current time, or the start of the newest recurring pool if this start is later. When one process has
 * begun a period, the period has begun for all processes. A slow clock therefore cannot make expired credit available
 * again.
 */
function begunAtMs({ anchorMs, nowMs, pools }: PoolsInput): number {
  let begunMs = Math.max(nowMs, anchorMs)
  for (const { recurring, source } of pools) if (recurring) begunMs = Math.max(begunMs, source.startsAtMs)
  return begunMs
}

function grantsDue(
  { anchorMs, bundleId, includes, interval, pools, sinceMs }: PoolsInput,
  here: readonly OwnedPool[],
  month: Month,
  nowMs: number,
  taken: number,
): OwnedPool[] {
  if (bundleId === null || includes.length === 0) return []
  const joinedMs = Math.max(sinceMs, anchorMs)
  const signUp = periodAt(anchorMs, interval, joinedMs)
  const isSignUp = periodAt(anchorMs, interval, nowMs).index <= signUp.index
  let sequence = nextSequence(pools) + taken
  const due: OwnedPool[] = []
  for (const include of includes) {
    const { recurring, slug } = include
    const isThere = ({ recurring: isRecurring, rolled, source }: OwnedPool): boolean =>
      source.slug === slug && isRecurring === recurring && rolled === 0
    if (here.some(isThere) || due.some(isThere)) continue
    if (!appliedAt(include, recurring ? Math.max(month.startsAtMs, joinedMs) : joinedMs, isSignUp)) continue
    due.push(newPool(bundleId, include, month, sequence++))
  }
  return due
}

/**
 * Undated terms also apply before `fromMs`. The undated terms of a one-time pool apply before `fromMs` only until the
 * end of the period in which the end user joined.
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
  { endsAtMs, startsAtMs }: Month,
  sequence: number,
): OwnedPool {
  const { amount, currency, displayName, memberCap, priceMicros, recurring, slug, unit } = include
  assertMoney(amount > 0n, `include ${slug} of bundle ${bundleId} grants ${amount}`)
  assertMoney(
    (unit === 'credits') === (currency !== null),
    `include ${slug} of bundle ${bundleId}: ${unit} in currency ${currency}`,
  )
  return {
    source: {
      kind: 'pool',
      // Every process computes the same ID for a grant, so the primary key prevents a second grant.
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
      memberCap,
      spilloverTo: include.spilloverTo,
      thenOnDemand: include.thenOnDemand,
      startsAtMs,
      endsAtMs: recurring ? endsAtMs : null,
    },
    bundleId,
    displayName,
    recurring,
    rollover: recurring ? include.rollover : null,
    rolled: 0,
    priceMicros,
  }
}

function isOver({ endsAtMs }: PoolSource, nowMs: number): boolean {
  return endsAtMs !== null && endsAtMs <= nowMs
}
