/**
 * Computes which amounts each source gets back when a request is refunded, or was charged too much. Money is returned
 * in reverse order of payment, so the remaining charge always consists of the parts that were paid first.
 *
 * A charge is a stack of parts. From bottom to top: pools, the payer's wallet, granted wallet money, paid wallet money,
 * on-demand, overdraft. `returnFrom` returns the parts at the top of the stack first. Several small refunds therefore
 * give each source the same amount as one large refund.
 */
import { assertMoney, minOf } from './amount.ts'
import { type Paid, paidByPayer, paidNothing } from './charge-split-by-payer.ts'
import type { Leg, PoolSource, Source, Unit } from './decision-types.ts'
import { entryPosting, givenAfter, type Posting } from './posting.ts'
import { creditPrefix, isCurrent, unitOf } from './payment-sources.ts'

type PaidBy = 'plan' | 'wallet' | 'gift' | 'on_demand' | 'overdraft'

export interface ChargePart {
  readonly sourceId: string
  readonly kind: Source['kind']
  readonly unit: Unit
  /** In the unit of the source. */
  readonly amount: bigint
  readonly micros: bigint
  readonly paidBy: PaidBy
  readonly returnedMicros: bigint
}

/** The first step is the charge when the request settled. The corrections follow, oldest first. */
export type ChargeStep =
  /** @param paid null for a record from before charges were split by payer, whose wallet money counts as granted */
  | { readonly kind: 'charge'; readonly legs: readonly Leg[]; readonly paid: Paid | null }
  | { readonly kind: 'return'; readonly micros: bigint }

/** Applies the steps in order. The parts of the result are in the order of payment. */
export function chargeParts(steps: readonly ChargeStep[]): ChargePart[] {
  let parts: ChargePart[] = []
  for (const step of steps) {
    if (step.kind === 'charge') parts = [...parts, ...partsOf(step.legs, step.paid)]
    else ({ parts } = returnFrom(parts, step.micros))
  }
  return parts
}

export function leftOf(parts: readonly ChargePart[]): bigint {
  return parts.reduce((sum, { micros, returnedMicros }) => sum + micros - returnedMicros, 0n)
}

function partsOf(legs: readonly Leg[], paid: Paid | null): ChargePart[] {
  const pools: ChargePart[] = []
  const ofPayer: ChargePart[] = []
  const onDemand: ChargePart[] = []
  let walletId = ''
  let [fromWallet, fromCredit] = [0n, 0n]
  let givenByPayer = 0n
  for (const leg of legs) {
    const part = { ...leg, returnedMicros: 0n }
    if (leg.kind === 'wallet') {
      walletId = leg.sourceId
      fromWallet += leg.micros
    } else if (leg.kind === 'team') {
      const { givenMicros = 0n, micros } = leg
      const rest = micros - givenMicros
      ofPayer.push({ ...part, amount: givenMicros, micros: givenMicros, paidBy: 'gift' })
      ofPayer.push({ ...part, amount: rest, micros: rest, paidBy: 'wallet' })
      givenByPayer += givenMicros
    } else if (leg.kind === 'on_demand') {
      onDemand.push({ ...part, paidBy: 'on_demand' })
    } else if (leg.sourceId.startsWith(creditPrefix)) {
      fromCredit += leg.micros
      pools.push({ ...part, paidBy: 'gift' })
    } else {
      pools.push({ ...part, paidBy: 'plan' })
    }
  }
  const split = paid ?? { ...paidNothing, giftMicros: fromCredit + fromWallet }
  const walletPart = (paidBy: PaidBy, micros: bigint): ChargePart => ({
    sourceId: walletId,
    kind: 'wallet',
    unit: 'micros',
    amount: micros,
    micros,
    paidBy,
    returnedMicros: 0n,
  })
  const given = split.giftMicros - fromCredit - givenByPayer
  const ownPaid = split.walletMicros - paidByPayer(legs)
  assertMoney(
    given >= 0n && ownPaid >= 0n && given + ownPaid + split.overdraftMicros === fromWallet,
    'partsOf: the split of a charge is that of its legs',
  )
  const all = [
    ...pools,
    ...ofPayer,
    walletPart('gift', given),
    walletPart('wallet', ownPaid),
    ...onDemand,
    walletPart('overdraft', split.overdraftMicros),
  ]
  // A leg of amount 0 (see `allocate`) paid no part of the charge.
  return all.filter(({ micros }) => micros > 0n)
}

export interface ReturnedPart {
  readonly part: ChargePart
  /** In the unit of the source. */
  readonly amount: bigint
  readonly micros: bigint
}

/**
 * Removes `micros` from the top of the stack.
 * @returns the amounts that go back (the last payer first), and all parts of the charge after the return
 */
export function returnFrom(
  parts: readonly ChargePart[],
  micros: bigint,
): { readonly returned: readonly ReturnedPart[]; readonly parts: ChargePart[] } {
  assertMoney(micros > 0n && micros <= leftOf(parts), 'returnFrom: no more goes back than is charged')
  const after = [...parts]
  const returned: ReturnedPart[] = []
  let due = micros
  for (let at = parts.length - 1; at >= 0; at -= 1) {
    const part = parts[at]
    assertMoney(part !== undefined, 'returnFrom: a stack has no gaps')
    const left = part.micros - part.returnedMicros
    const taken = minOf(left, due)
    if (taken > 0n) {
      after[at] = { ...part, returnedMicros: part.returnedMicros + taken }
      const amount = amountUpTo(part, part.returnedMicros + taken) - amountUpTo(part, part.returnedMicros)
      returned.push({ part, amount, micros: taken })
    }
    due -= taken
    if (taken < left || due === 0n) break
  }
  return { returned, parts: after }
}

/**
 * The result is rounded down, so that credits returned in several steps never exceed the consumed credits. When the
 * whole part is returned, all its credits are returned.
 */
function amountUpTo({ amount, micros }: ChargePart, returned: bigint): bigint {
  return (amount * returned) / micros
}

/** Refunded amounts are negative. */
export function paidOf(returned: readonly ReturnedPart[]): Paid {
  const sum = (paidBy: PaidBy): bigint =>
    returned.reduce((total, { micros, part }) => (part.paidBy === paidBy ? total - micros : total), 0n)
  return {
    planMicros: sum('plan'),
    walletMicros: sum('wallet'),
    giftMicros: sum('gift'),
    onDemandMicros: sum('on_demand'),
    overdraftMicros: sum('overdraft'),
  }
}

export interface Returning {
  readonly entry: 'refund' | 'adjustment'
  readonly walletId: string
  /** Must include the wallet, the sources of this period and every share that paid. */
  readonly sources: readonly Source[]
  readonly nowMs: number
}

export interface ReturnPostings {
  /**
   * Each source that paid has one posting. If a payer's pool cannot take back the amount, the posting credits the
   * payer's wallet instead.
   */
  readonly restored: readonly Posting[]
  /**
   * Granted credit for amounts that cannot be returned to their source. Expired, suspended and full pools, past months
   * of on-demand usage, and repaid overdrafts accept no refund. Grant reversals treat this credit as a grant of that
   * day. Null if every amount can be returned.
   */
  readonly converted: Posting | null
  readonly legs: readonly Leg[]
}

/** Loses no amount, and never turns granted money into paid money. */
export function returnPostings(returned: readonly ReturnedPart[], into: Returning): ReturnPostings {
  const { entry, nowMs, sources, walletId } = into
  const wallet = sources.find(({ id }) => id === walletId)
  assertMoney(wallet?.kind === 'wallet', 'returnPostings: everyone has a wallet')
  const back = new Map<string, { amount: bigint; micros: bigint; source: Source }>()
  const toPayers = new Map<string, { amount: bigint; micros: bigint; source: Source }>()
  const add = (source: Source, amount: bigint, micros: bigint, to = back): void => {
    const known = to.get(source.id) ?? { amount: 0n, micros: 0n, source }
    to.set(source.id, { source, amount: known.amount + amount, micros: known.micros + micros })
  }
  let debt = wallet.posted < 0n ? -wallet.posted : 0n
  /**
   * Returns the part of an amount that exceeds the wallet's remaining debt. Each returned amount reduces the debt for
   * the amounts after it, as if they were refunded one by one.
   */
  const beyondDebt = (micros: bigint): bigint => {
    const repaid = minOf(micros, debt)
    debt -= repaid
    return micros - repaid
  }
  let [given, converted, convertedGiven] = [0n, 0n, 0n]
  const givenByPayers = new Map<string, bigint>()
  for (const { amount, micros, part } of returned) {
    const source = sources.find(({ id }) => id === part.sourceId)
    if (part.paidBy === 'overdraft') {
      // The end user never paid for an overdraft. The refund of an overdraft therefore only reduces the wallet's debt.
      // If the debt is smaller than the refund, the rest becomes a separate grant.
      const beyond = beyondDebt(micros)
      if (micros > beyond) add(wallet, micros - beyond, micros - beyond)
      converted += beyond
      convertedGiven += beyond
    } else if (part.kind === 'wallet') {
      add(wallet, amount, micros)
      const beyond = beyondDebt(micros)
      if (part.paidBy === 'gift') given += beyond
    } else if (
      source !== undefined &&
      takesBack(source, (back.get(source.id)?.amount ?? 0n) + amount, nowMs)
    ) {
      add(source, amount, micros)
      if (part.paidBy === 'gift' && source.kind === 'team')
        givenByPayers.set(source.id, (givenByPayers.get(source.id) ?? 0n) + micros)
    } else if (source?.kind === 'team_pool') {
      add(source, amount, micros, toPayers)
    } else {
      assertMoney(
        part.kind !== 'team' && part.kind !== 'team_pool',
        'returnPostings: a payer gets back what the payer paid',
      )
      converted += micros
      convertedGiven += beyondDebt(micros)
    }
  }
  const restored: Posting[] = []
  const legs: Leg[] = []
  for (const { amount, micros, source } of back.values()) {
    const unit = unitOf(source)
    legs.push({ sourceId: source.id, kind: source.kind, unit, amount, micros })
    // The amount in credits can be 0 although micros are refunded, because a millionth of a credit can be worth several
    // micros. Such an amount is not written yet.
    if (amount === 0n) continue
    const posting = entryPosting(source.id, unit, amount, entry)
    if (source.kind === 'wallet') restored.push({ ...posting, givenDelta: given })
    else if (source.kind === 'team')
      restored.push({ ...posting, givenDelta: givenByPayers.get(source.id) ?? 0n })
    else restored.push(posting)
  }
  for (const { amount, micros, source } of toPayers.values()) {
    legs.push({ sourceId: source.id, kind: source.kind, unit: 'micros', amount, micros })
    restored.push({ ...entryPosting(source.id, 'micros', amount, entry), creditsPayer: true })
  }
  if (converted === 0n) return { restored, converted: null, legs }
  legs.push({ sourceId: walletId, kind: 'wallet', unit: 'micros', amount: converted, micros: converted })
  // The wallet gets two postings: the money that it paid, and then the money of ended sources. After the first posting,
  // the granted part of the wallet may be too small. The second posting therefore also adds what is missing.
  const first = restored.find(({ sourceId }) => sourceId === walletId)
  const givenSoFar = first === undefined ? wallet.given : givenAfter(wallet, first)
  const givenDelta = wallet.given + given + convertedGiven - givenSoFar
  const posting = { ...entryPosting(walletId, 'micros', converted, entry), givenDelta }
  return { restored, converted: posting, legs }
}

/**
 * A share in a payer's wallet or pool accepts at most the amount that the member spent. A share in a pool also requires
 * that the pool accepts the amount.
 */
function takesBack(source: Source, amount: bigint, nowMs: number): boolean {
  if (source.kind === 'team_pool') {
    const { pool, posted } = source
    return posted + amount <= 0n && pool !== null && takesBack(pool, amount, nowMs)
  }
  if (source.kind === 'team') return source.posted + amount <= 0n
  if (source.kind === 'wallet' || !isCurrent(source, nowMs)) return false
  if (source.kind === 'on_demand') return source.posted + amount <= 0n
  return !source.isSuspended && roomOf(source) >= amount
}

/** Refunds to the pool cannot exceed the amount that requests have consumed. */
function roomOf({ expired, granted, posted, withheld }: PoolSource): bigint {
  return granted - posted - withheld - expired
}

/**
 * The refunded part of the sell price is in proportion to the refunded part of the charge. Refunds of the whole charge
 * refund the whole sell price.
 */
export function billedPart(billedMicros: bigint, refundMicros: bigint, chargeMicros: bigint): bigint {
  assertMoney(refundMicros > 0n && refundMicros <= chargeMicros, 'billedPart: a refund is part of the charge')
  return (billedMicros * refundMicros) / chargeMicros
}
