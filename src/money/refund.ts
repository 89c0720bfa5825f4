/**
 * Computes which amounts go back when a request is refunded, or when its usage turns out to be lower than charged. The
 * charge is returned in reverse order of payment, so the remaining charge is always the beginning of the original
 * charge.
 *
 * A charge is a stack of parts: pools first, then granted wallet money, paid wallet money, on-demand, overdraft.
 * `returnFrom` takes parts off the top. The stack is rebuilt from the request's record and its corrections. So
 * returning an amount in several steps gives each source the same as returning it in one step.
 */
import { assertMoney, minOf } from './amount.ts'
import { type Paid, paidNothing } from './paid.ts'
import type { Leg, PoolSource, Source, Unit } from './hold.ts'
import { entryPosting, givenAfter, type Posting } from './posting.ts'
import { creditPrefix, isCurrent } from './sources.ts'

/** The payer of a part, named as in `Paid`. */
type PaidBy = 'plan' | 'wallet' | 'gift' | 'on_demand' | 'overdraft'

/** The share of a charge that one source paid. */
export interface ChargePart {
  readonly sourceId: string
  readonly kind: Source['kind']
  readonly unit: Unit
  /** Amount taken from the source, in the source's own unit. */
  readonly amount: bigint
  /** The source's share of the charge. */
  readonly micros: bigint
  readonly paidBy: PaidBy
  /** The part of `micros` that was already returned. */
  readonly returnedMicros: bigint
}

/** A step in the history of a request's charge: the settle first, then its corrections, oldest first. */
export type ChargeStep =
  /** @param paid null if the record is older than the split of charges; its wallet money then counts as granted */
  | { readonly kind: 'charge'; readonly legs: readonly Leg[]; readonly paid: Paid | null }
  | { readonly kind: 'return'; readonly micros: bigint }

/** Returns each part after the steps, in the order of payment. */
export function chargeParts(steps: readonly ChargeStep[]): ChargePart[] {
  let parts: ChargePart[] = []
  for (const step of steps) {
    if (step.kind === 'charge') parts = [...parts, ...partsOf(step.legs, step.paid)]
    else ({ parts } = returnFrom(parts, step.micros))
  }
  return parts
}

/** Returns the amount that can still be returned. */
export function leftOf(parts: readonly ChargePart[]): bigint {
  return parts.reduce((sum, { micros, returnedMicros }) => sum + micros - returnedMicros, 0n)
}

function partsOf(legs: readonly Leg[], paid: Paid | null): ChargePart[] {
  const pools: ChargePart[] = []
  const onDemand: ChargePart[] = []
  let walletId = ''
  let [fromWallet, fromCredit] = [0n, 0n]
  for (const leg of legs) {
    const part = { ...leg, returnedMicros: 0n }
    if (leg.kind === 'wallet') {
      walletId = leg.sourceId
      fromWallet += leg.micros
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
  const given = split.giftMicros - fromCredit
  assertMoney(
    given >= 0n && given + split.walletMicros + split.overdraftMicros === fromWallet,
    'partsOf: the split of a charge is that of its legs',
  )
  const all = [
    ...pools,
    walletPart('gift', given),
    walletPart('wallet', split.walletMicros),
    ...onDemand,
    walletPart('overdraft', split.overdraftMicros),
  ]
  // A leg without a part of the charge (see `allocate`) returns nothing.
  return all.filter(({ micros }) => micros > 0n)
}

/** The amount that a source gets back. */
export interface ReturnedPart {
  readonly part: ChargePart
  /** In the source's own unit. */
  readonly amount: bigint
  readonly micros: bigint
}

/**
 * Takes `micros` off the top of the stack.
 * @returns the amount that each part returns, the last payer first, and the parts afterwards
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
 * Returns the amount for the first `micros` returned from the part, in the part's own unit. It is rounded down, so that
 * credits returned in steps never exceed the consumed credits. All of them are returned once the whole part is
 * returned.
 */
function amountUpTo({ amount, micros }: ChargePart, returned: bigint): bigint {
  return (amount * returned) / micros
}

/** Returns the change of each part of the charge, as negative amounts. */
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
  /** Current state of the sources: at least the wallet and the sources of this period. */
  readonly sources: readonly Source[]
  readonly nowMs: number
}

export interface ReturnPostings {
  /** To the sources that paid, one posting each. */
  readonly restored: readonly Posting[]
  /**
   * Granted credit that replaces amounts that cannot be returned to their source. This applies to pools that are
   * expired, suspended or full. It applies to past on-demand months that are, or will be, on an invoice. It applies to
   * an overdraft that is no longer a debt. Grant reversals treat it as a grant of that day. Null if nothing needs
   * replacing.
   */
  readonly converted: Posting | null
  /** The amount that each source got, as legs, in the order of the postings. */
  readonly legs: readonly Leg[]
}

/** Returns the entries that give the parts back. No amount is lost, and granted money never becomes paid money. */
export function returnPostings(returned: readonly ReturnedPart[], into: Returning): ReturnPostings {
  const { entry, nowMs, sources, walletId } = into
  const wallet = sources.find(({ id }) => id === walletId)
  assertMoney(wallet?.kind === 'wallet', 'returnPostings: everyone has a wallet')
  const back = new Map<string, { amount: bigint; micros: bigint; source: Source }>()
  const add = (source: Source, amount: bigint, micros: bigint): void => {
    const known = back.get(source.id) ?? { amount: 0n, micros: 0n, source }
    back.set(source.id, { source, amount: known.amount + amount, micros: known.micros + micros })
  }
  let debt = wallet.posted < 0n ? -wallet.posted : 0n
  /** Returns the amount beyond the debt. Parts reduce the debt in the order of their return, as in separate refunds. */
  const beyondDebt = (micros: bigint): bigint => {
    const repaid = minOf(micros, debt)
    debt -= repaid
    return micros - repaid
  }
  let [given, converted, convertedGiven] = [0n, 0n, 0n]
  for (const { amount, micros, part } of returned) {
    const source = sources.find(({ id }) => id === part.sourceId)
    if (part.paidBy === 'overdraft') {
      // An overdraft was never paid for. Its refund lowers a debt, or otherwise becomes a separate grant.
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
    } else {
      converted += micros
      convertedGiven += beyondDebt(micros)
    }
  }
  const restored: Posting[] = []
  const legs: Leg[] = []
  for (const { amount, micros, source } of back.values()) {
    const unit = source.kind === 'pool' ? source.unit : 'micros'
    legs.push({ sourceId: source.id, kind: source.kind, unit, amount, micros })
    // A millionth of a credit can equal several micros. Amounts below a millionth of a credit are not written yet.
    if (amount === 0n) continue
    const posting = entryPosting(source.id, unit, amount, entry)
    restored.push(source.kind === 'wallet' ? { ...posting, givenDelta: given } : posting)
  }
  if (converted === 0n) return { restored, converted: null, legs }
  legs.push({ sourceId: walletId, kind: 'wallet', unit: 'micros', amount: converted, micros: converted })
  // The restored posting comes first, so it may leave less given credit than the order of return does. Add the rest.
  const first = restored.find(({ sourceId }) => sourceId === walletId)
  const givenSoFar = first === undefined ? wallet.given : givenAfter(wallet, first)
  const givenDelta = wallet.given + given + convertedGiven - givenSoFar
  const posting = { ...entryPosting(walletId, 'micros', converted, entry), givenDelta }
  return { restored, converted: posting, legs }
}

/** Whether a source can accept this amount back now. */
function takesBack(source: Source, amount: bigint, nowMs: number): boolean {
  if (source.kind === 'wallet' || !isCurrent(source, nowMs)) return false
  if (source.kind === 'on_demand') return source.posted + amount <= 0n
  return !source.isSuspended && roomOf(source) >= amount
}

/** Returns the amount that requests have consumed from the pool. Refunds to the pool cannot exceed it. */
function roomOf({ expired, granted, posted, withheld }: PoolSource): bigint {
  return granted - posted - withheld - expired
}

/** Returns the refunded part of the sell price: the same share as of the charge, and all of it with the last micro. */
export function billedPart(billedMicros: bigint, refundMicros: bigint, chargeMicros: bigint): bigint {
  assertMoney(refundMicros > 0n && refundMicros <= chargeMicros, 'billedPart: a refund is part of the charge')
  return (billedMicros * refundMicros) / chargeMicros
}
