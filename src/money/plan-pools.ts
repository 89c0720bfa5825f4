/**
 * The pools of a subscription.
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
 *                                      or, by its rollover, goes on in part   reversal    rolled_over
 *                                      in a pool of the next period           grant       rolled_over
 *     the person leaves the plan     what is free is taken off, and kept       reversal    plan_changed
 *     the person comes back          it is given back                          adjustment  plan_changed
 *     the person is removed          what is free is taken off, for good       reversal    end_user_removed
 *     other plans have paid in the   of a recurring pool that much is taken    adjustment  used_on_another_plan
 *       same period                    off, so that moving to and fro yields
 *                                      no more than the largest plan
 *
 * A pool that is carried over (`rolled` times so far) is a row of its own beside the fresh pool of the month, so that
 * each keeps its age: the oldest pays first, and after `periodsMax` periods nothing of it goes on. A month in which
 * nothing was written is made up for, so that an idle end user has what was unspent in it.
 *
 * Credit that ends is a pool too, which belongs to no plan: plans and their changes leave it alone, and what is free
 * of it lapses at its end.
 *
 * Calls in flight keep what they hold: only free money is taken. What they give back is free, and the same
 * rules take it then. `poolChanges` may be called at any time and any number of times: it answers the missing
 * changes, and none once they are written.
 */
import { assertMoney } from './amount.ts'
import type { PoolSource, Unit } from './hold.ts'
import { isAllowed } from './name-pattern.ts'
import { boundary, periodAt, type Interval, type Period } from './period.ts'
import { applyPosting, poolPosting, type Posting } from './posting.ts'
import { withheldPostings } from './withheld.ts'

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
  /** What is carried over of a recurring pool; null: nothing is. */
  readonly rollover: Rollover | null
}

/** How much of a pool's unspent rest goes on in the next period. */
export interface Rollover {
  /** 1 to 100; the result is rounded down. */
  readonly percent: number
  /** How often the same units are carried over at most: 1 to `rolloverPeriodsMax`. */
  readonly periodsMax: number
}

/** So many months back a store must know the pools with a rollover. */
export const rolloverPeriodsMax = 12

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
  /** Null: credit that ends, which is of no plan. */
  readonly bundleId: string | null
  readonly displayName: string
  readonly recurring: boolean
  /** As its include was when it was granted. */
  readonly rollover: Rollover | null
  /** How often its units were carried over; 0: they are of its own period. */
  readonly rolled: number
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
  /**
   * At least the pools that are not over, suspended ones too, ended ones with something left on them, and those with a
   * rollover that ended in the last `rolloverPeriodsMax` months.
   */
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
  const nowMs = begunAtMs(input)
  const month = periodAt(anchorMs, 'month', nowMs)
  assertMoney(month.index >= 0, 'poolChanges: the anchor is not later than now')
  const granted: OwnedPool[] = []
  const postings: Posting[] = []
  // Sorted by grant: the order must be the same each time, or withheld money would move between pools.
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

/** The months before this one of which something may be carried over to it. */
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

/** What a past month lacks of pools with a rollover. The rest of it could not be spent any more, and is left out. */
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

/** Adds the pools with their grants. @returns them, with the money on them */
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
 * Carries over what a pool that ended with the month before leaves free, once: what calls in flight give back to it
 * later lapses.
 * @returns how much it was
 */
function carryOver(pool: OwnedPool, month: Month, pools: readonly OwnedPool[], writing: Writing): bigint {
  const { rolled, rollover, source } = pool
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
      rank: { ...source.rank, endsAtMs: month.endsAtMs, sequence },
      startsAtMs: month.startsAtMs,
      endsAtMs: month.endsAtMs,
    },
    // It does not recur: what other plans pay is taken off the fresh pool alone.
    recurring: false,
    rolled: rolled + 1,
  }
  grant([next], writing)
  return amount
}

function nextSequence(pools: readonly OwnedPool[]): number {
  let sequence = 1
  for (const { source } of pools) sequence = Math.max(sequence, source.rank.sequence + 1)
  return sequence
}

/** The pools after the changes: what a person is shown before a call has made the changes. */
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
  { endsAtMs, startsAtMs }: Month,
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
    rollover: recurring ? include.rollover : null,
    rolled: 0,
    priceMicros,
  }
}

function isOver({ endsAtMs }: PoolSource, nowMs: number): boolean {
  return endsAtMs !== null && endsAtMs <= nowMs
}
