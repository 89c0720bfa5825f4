/**
 * The pools of a subscription, and money for the wallet.
 *
 * A pool is one row per include and period, with everything about it fixed when it is granted: a
 * later change of the bundle changes no pool. Recurring includes are granted once per **month** from
 * the anchor, also on yearly bundles (a year's tokens on the first day help neither side); the others
 * once, at sign-up, and never again. `poolsDue` may be asked at any time and any number of times: it
 * answers with what is missing.
 */
import { assertMoney } from './amount.ts'
import type { PoolSource, Unit } from './hold.ts'
import { periodAt, type Interval } from './period.ts'
import { entryPosting, type LedgerKind, type Posting } from './posting.ts'

/** What a bundle includes, with what is looked up at the moment of the grant. */
export interface Include {
  readonly slug: string
  readonly displayName: string
  readonly unit: Unit
  /** The bundle's credit currency; null for micros. */
  readonly currency: string | null
  readonly amount: bigint
  /** What it sells for separately; null or 0n: free. */
  readonly priceMicros: bigint | null
  readonly thenOnDemand: boolean
  readonly recurring: boolean
  readonly spilloverTo: string | null
  /** Patterns of the names it may pay for. */
  readonly models: readonly string[]
  /** How many names those are now: fewest pays first. */
  readonly modelCount: number
}

/** A pool to create: `source` stands at 0 and `posting` is its first entry. */
export interface PoolGrant {
  readonly source: PoolSource
  readonly bundleId: string
  readonly include: Include
  /** Null where nothing is left to grant; the row still says that this period was dealt with. */
  readonly posting: Posting | null
}

/** A pool that was granted before, over or not. */
export interface GrantedPool {
  readonly slug: string
  readonly bundleId: string
  readonly startsAtMs: number
  readonly recurring: boolean
}

export interface PoolsDueInput {
  readonly bundleId: string
  readonly includes: readonly Include[]
  /** When the subscription's periods began. */
  readonly anchorMs: number
  readonly interval: Interval
  readonly nowMs: number
  /** At least the pools of the current month, ended ones too, and all that do not recur, ever. */
  readonly existing: readonly GrantedPool[]
  /** Larger than any `sequence` this person's pools have. */
  readonly nextSequence: number
}

/** The pools that this subscription should have by now and has not. */
export function poolsDue(input: PoolsDueInput): PoolGrant[] {
  const { anchorMs, bundleId, existing, includes, interval } = input
  // A process whose clock is a little behind the one that wrote the anchor sees the first period.
  const nowMs = Math.max(input.nowMs, anchorMs)
  const month = periodAt(anchorMs, 'month', nowMs)
  const isFirstPeriod = periodAt(anchorMs, interval, nowMs).index === 0
  assertMoney(month.index >= 0, 'poolsDue: no pool before the anchor')
  const due: PoolGrant[] = []
  for (const include of includes) {
    const isThere = existing.some(
      (pool) =>
        pool.bundleId === bundleId &&
        pool.slug === include.slug &&
        pool.recurring === include.recurring &&
        (!pool.recurring || (month.startsAtMs <= pool.startsAtMs && pool.startsAtMs < month.endsAtMs)),
    )
    if (isThere || (!include.recurring && !isFirstPeriod)) continue
    due.push(
      poolGrant(bundleId, include, {
        id: poolId(bundleId, include, month.startsAtMs),
        amount: include.amount,
        startsAtMs: month.startsAtMs,
        endsAtMs: include.recurring ? month.endsAtMs : null,
        sequence: input.nextSequence + due.length,
      }),
    )
  }
  return due
}

/** The same for every process that grants it, so that the row's key makes it happen once. */
function poolId(bundleId: string, { recurring, slug }: Include, startsAtMs: number): string {
  return `${bundleId}/${slug}/${recurring ? startsAtMs : 'once'}`
}

function poolGrant(
  bundleId: string,
  include: Include,
  grant: {
    readonly id: string
    readonly amount: bigint
    readonly startsAtMs: number
    readonly endsAtMs: number | null
    readonly sequence: number
  },
): PoolGrant {
  const { amount, endsAtMs, id, sequence, startsAtMs } = grant
  assertMoney(amount >= 0n && amount <= include.amount, 'a pool is granted what is included, or less')
  assertMoney((include.unit === 'credits') === (include.currency !== null), 'credits have a currency')
  return {
    source: {
      kind: 'pool',
      id,
      slug: include.slug,
      unit: include.unit,
      currency: include.currency,
      posted: 0n,
      held: 0n,
      granted: amount,
      rank: {
        models: include.modelCount,
        endsAtMs: endsAtMs ?? Number.MAX_SAFE_INTEGER,
        isPaid: include.priceMicros !== null && include.priceMicros > 0n,
        sequence,
      },
      models: include.models,
      spilloverTo: include.spilloverTo,
      thenOnDemand: include.thenOnDemand,
      startsAtMs,
      endsAtMs,
    },
    bundleId,
    include,
    posting: amount === 0n ? null : entryPosting(id, include.unit, amount, 'grant'),
  }
}

export interface PlanChangeInput {
  readonly fromBundleId: string
  readonly toBundleId: string
  /** Of the new bundle. */
  readonly includes: readonly Include[]
  /** Stays: a change of bundle does not move the periods. */
  readonly anchorMs: number
  readonly nowMs: number
  /** As `existing` of `poolsDue`, with what is on them. */
  readonly pools: readonly {
    readonly source: PoolSource
    readonly bundleId: string
    readonly recurring: boolean
  }[]
  readonly nextSequence: number
}

export interface PlanChange {
  /** Pools of the old bundle, which end now. What calls in flight hold on them stays theirs. */
  readonly ended: readonly { readonly sourceId: string; readonly endsAtMs: number }[]
  readonly granted: readonly PoolGrant[]
}

/**
 * A person moves to another bundle within a period. What this month's recurring pools have paid, or
 * have promised to calls in flight, is taken off what the new bundle grants in the same unit and
 * currency. So within a month every bundle only ever tops up to its own amount, and moving to and fro
 * yields no more than the larger of the two. A sign-up include is granted on the first move to its
 * bundle and never again.
 */
export function planChange(input: PlanChangeInput): PlanChange {
  const { fromBundleId, includes, pools, toBundleId } = input
  if (fromBundleId === toBundleId) return { ended: [], granted: [] }
  const nowMs = Math.max(input.nowMs, input.anchorMs)
  const month = periodAt(input.anchorMs, 'month', nowMs)
  const ended = pools
    .filter(({ bundleId, source }) => bundleId === fromBundleId && !isOver(source, nowMs))
    .map(({ source }) => ({ sourceId: source.id, endsAtMs: nowMs }))

  const used = new Map<string, bigint>()
  for (const { recurring, source } of pools) {
    if (!recurring || source.startsAtMs < month.startsAtMs || source.startsAtMs >= month.endsAtMs) continue
    const spent = source.granted - source.posted + source.held
    assertMoney(spent >= 0n, 'planChange: no pool has more than it was granted')
    used.set(unitKey(source), (used.get(unitKey(source)) ?? 0n) + spent)
  }

  const granted: PoolGrant[] = []
  for (const include of includes) {
    let amount = include.amount
    if (include.recurring) {
      const spent = used.get(unitKey(include)) ?? 0n
      amount = spent < amount ? amount - spent : 0n
      used.set(unitKey(include), spent - (include.amount - amount))
    } else if (
      pools.some(
        (pool) => !pool.recurring && pool.bundleId === toBundleId && pool.source.slug === include.slug,
      )
    ) {
      continue
    }
    const sequence = input.nextSequence + granted.length
    const id = poolId(toBundleId, include, nowMs)
    granted.push(
      poolGrant(toBundleId, include, {
        // To and fro within one millisecond: the first of the two rows keeps the plain id.
        id: pools.some(({ source }) => source.id === id) ? `${id}/${sequence}` : id,
        amount,
        startsAtMs: nowMs,
        endsAtMs: include.recurring ? month.endsAtMs : null,
        sequence,
      }),
    )
  }
  return { ended, granted }
}

function isOver(source: PoolSource, nowMs: number): boolean {
  return source.endsAtMs !== null && source.endsAtMs <= nowMs
}

function unitKey({ currency, unit }: { readonly unit: Unit; readonly currency: string | null }): string {
  return `${unit} ${currency}`
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
