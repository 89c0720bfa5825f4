/**
 * Limits on requests, tokens, charges and requests in flight. If several limits apply to a request, the remaining
 * amount of each limit must suffice. Each limit counts usage in a window of time. Rate limits hold no money.
 *
 * A window consists of time slots. Usage leaves the window together with its slot. A calendar window (UTC) is a single
 * slot. The rolling window `5h` has slots of five minutes each. In a rolling window, each slot leaves the window five
 * hours after the end of the slot. Usage in any five hours can therefore not exceed the limit
 * (docs/decisions/2026-11-23-rate-limits.md).
 *
 * A request counts when it is admitted, even if it fails later. While the request is in flight, its tokens and charges
 * count with their maximum. When the request settles, its tokens and charges count with their actual amount.
 */
import type {
  CallBound,
  HeldBound,
  Hold,
  RateLimit,
  RateMeasure,
  RateRule,
  RateSlot,
  RateWindow,
} from './decision-types.ts'
import { matchesAny } from './model-name-pattern.ts'
import { calendarWindow, hourMs, type Window } from './periods-and-windows.ts'
import type { Refusal } from './refusal-types.ts'
import { totalInput, type Usage } from './usage-counts.ts'

export interface RateUse {
  readonly measure: RateMeasure
  readonly window: RateWindow
  readonly models: readonly string[] | null
  /** The oldest slot is first. */
  readonly slots: readonly CountedSlot[]
}

/** The amount grows while usage is counted. */
export interface CountedSlot extends RateSlot {
  amount: bigint
}

type RuleName = Pick<RateRule, 'measure' | 'models' | 'window'>

const minuteMs = 60_000
const slotOf5hMs = 5 * minuteMs
/** Maximum number of inactive rules whose usage is kept. The oldest inactive rules are dropped first. */
const otherUsesMax = 24
/** A slot that starts later than this is ignored, because its start comes from a wrong clock. */
const aheadMaxMs = 5 * minuteMs

interface Slot {
  readonly startsAtMs: number
  /** Null means that the slot never leaves the window. */
  readonly leavesAtMs: number | null
}

/**
 * Caches the last slot of each window, because a request asks for the current slot of each limit several times.
 * Computing the slots each time allocated more memory than all other work for the limits of a request.
 */
const lastSlots = new Map<RateWindow, { readonly slot: Slot; readonly endsAtMs: number }>()

export function slotAt(window: RateWindow, atMs: number): Slot {
  const last = lastSlots.get(window)
  if (last !== undefined && last.slot.startsAtMs <= atMs && atMs < last.endsAtMs) return last.slot
  const found = computedSlot(window, atMs)
  lastSlots.set(window, found)
  return found.slot
}

function computedSlot(window: RateWindow, atMs: number): { readonly slot: Slot; readonly endsAtMs: number } {
  switch (window) {
    case 'minute':
      return slotOf(atMs, minuteMs, minuteMs)
    case 'hour':
      return slotOf(atMs, hourMs, hourMs)
    case '5h':
      return slotOf(atMs, slotOf5hMs, 5 * hourMs + slotOf5hMs)
    default: {
      const { startsAtMs, endsAtMs } = calendarWindow(window satisfies Window, atMs)
      return { slot: { startsAtMs, leavesAtMs: endsAtMs }, endsAtMs: endsAtMs ?? Infinity }
    }
  }
}

function slotOf(atMs: number, lengthMs: number, keptMs: number) {
  const startsAtMs = atMs - (atMs % lengthMs)
  return { slot: { startsAtMs, leavesAtMs: startsAtMs + keptMs }, endsAtMs: startsAtMs + lengthMs }
}

export function countingSlots<SlotType extends RateSlot>(
  window: RateWindow,
  slots: readonly SlotType[],
  nowMs: number,
): readonly SlotType[] {
  for (const slot of slots)
    if (!counts(window, slot, nowMs)) return slots.filter((one) => counts(window, one, nowMs))
  return slots
}

function counts(window: RateWindow, { startsAtMs }: RateSlot, nowMs: number): boolean {
  const { leavesAtMs } = slotAt(window, startsAtMs)
  return startsAtMs <= nowMs + aheadMaxMs && (leavesAtMs === null || leavesAtMs > nowMs)
}

export function amountOf(slots: readonly RateSlot[]): bigint {
  const [first] = slots
  // A calendar window has a single slot. Adding its amount to 0 would allocate another bigint.
  if (first !== undefined && slots.length === 1) return first.amount
  let sum = 0n
  for (const { amount } of slots) sum += amount
  return sum
}

/**
 * The time at which the oldest counted amount leaves the window. Null if nothing is counted, or if the amount never
 * leaves.
 */
export function resetsAt({ slots: [first], window }: Pick<RateLimit, 'slots' | 'window'>): number | null {
  return first === undefined || window === null ? null : slotAt(window, first.startsAtMs).leavesAtMs
}

export function appliesTo({ models }: Pick<RateRule, 'models'>, alias: string): boolean {
  return models === null || matchesAny(models, alias)
}

export function slotsOfRule(rule: RateRule, uses: readonly RateUse[], nowMs: number): readonly CountedSlot[] {
  if (rule.window === null) return []
  return countingSlots(rule.window, useOfRule(rule, uses)?.slots ?? [], nowMs)
}

function useOfRule(rule: RuleName, uses: readonly RateUse[]): RateUse | undefined {
  for (const use of uses) if (isUseOf(use, rule)) return use
  return undefined
}

/** The maximum is not compared, because the maximum may have changed since the usage was counted. */
export function isUseOf(use: RuleName, { measure, models, window }: RuleName): boolean {
  if (use.measure !== measure || use.window !== window) return false
  return use.models === models || JSON.stringify(use.models) === JSON.stringify(models)
}

function ruleOfUse(use: RateUse, rules: readonly RateRule[]): RateRule | undefined {
  for (const rule of rules) if (isUseOf(use, rule)) return rule
  return undefined
}

/** A missing measure is not counted. */
export type RateAmounts = { readonly [measure in RateMeasure]?: bigint }

export const admittedAmounts: RateAmounts = { requests: 1n }

export function settledAmounts(usage: Usage, chargeMicros: bigint): RateAmounts {
  const inputTokens = BigInt(totalInput(usage))
  const outputTokens = BigInt(usage.output)
  return { inputTokens, outputTokens, tokens: inputTokens + outputTokens, micros: chargeMicros }
}

/**
 * Drops slots that have left their window. Keeps the usage of inactive rules until the usage leaves the window. An end
 * user who returns to a plan therefore continues the plan's windows.
 * @param uses must not be used afterwards, because the amounts of its slots may change
 */
export function countUse(
  rules: readonly RateRule[],
  uses: readonly RateUse[],
  alias: string,
  amounts: RateAmounts,
  atMs: number,
): readonly RateUse[] {
  if (addedInPlace(rules, uses, alias, amounts, atMs)) return uses
  const counted: RateUse[] = []
  for (const rule of rules) {
    const { measure, models, window } = rule
    // A rule of the end user and a rule of the bundle may share the same usage.
    if (window === null || useOfRule(rule, counted) !== undefined) continue
    const slots = withAmount(window, slotsOfRule(rule, uses, atMs), amountFor(rule, alias, amounts), atMs)
    if (slots.length > 0) counted.push({ measure, window, models, slots })
  }
  let others: RateUse[] | null = null
  for (const use of uses) {
    if (useOfRule(use, counted) !== undefined || ruleOfUse(use, rules) !== undefined) continue
    const slots = countingSlots(use.window, use.slots, atMs)
    if (slots.length > 0) (others ??= []).push({ ...use, slots })
  }
  return others === null ? counted : [...others.slice(-otherUsesMax), ...counted]
}

/**
 * Adds the amounts to existing slots if each amount belongs to the last slot of its rule and no slot has expired. The
 * slots are changed in place, because they live as long as the end user's data in memory. Replacing such long-lived
 * objects would take most of the garbage collector's time.
 * @returns false if nothing was added
 */
function addedInPlace(
  rules: readonly RateRule[],
  uses: readonly RateUse[],
  alias: string,
  amounts: RateAmounts,
  atMs: number,
): boolean {
  for (const rule of rules) {
    const isCounted = rule.window !== null && amountFor(rule, alias, amounts) !== 0n
    if (isCounted && useOfRule(rule, uses) === undefined) return false
  }
  for (const pass of passes) {
    for (const use of uses) {
      const rule = ruleOfUse(use, rules)
      const { slots, window } = use
      const [first] = slots
      const last = slots.at(-1)
      if (rule === undefined || first === undefined || last === undefined) return false
      if (!counts(window, first, atMs)) return false
      const amount = amountFor(rule, alias, amounts)
      if (amount === 0n) continue
      if (last.startsAtMs !== slotAt(window, atMs).startsAtMs) return false
      if (pass === 'add') last.amount += amount
    }
  }
  return true
}

const passes = ['check', 'add'] as const

export function countsAny(rules: readonly RateRule[], alias: string, amounts: RateAmounts): boolean {
  for (const rule of rules) if (amountFor(rule, alias, amounts) !== 0n) return true
  return false
}

/** 0 if the rule does not apply to the model name. */
function amountFor(rule: RateRule, alias: string, amounts: RateAmounts): bigint {
  const amount = amounts[rule.measure]
  return amount !== undefined && appliesTo(rule, alias) ? amount : 0n
}

function withAmount(
  window: RateWindow,
  slots: readonly CountedSlot[],
  amount: bigint,
  atMs: number,
): readonly CountedSlot[] {
  if (amount === 0n) return slots
  const { startsAtMs } = slotAt(window, atMs)
  const before = slots.filter((slot) => slot.startsAtMs < startsAtMs)
  const after = slots.filter((slot) => slot.startsAtMs > startsAtMs)
  const same = slots.filter((slot) => slot.startsAtMs === startsAtMs)
  return [...before, { startsAtMs, amount: amountOf(same) + amount }, ...after]
}

/** 0 for `requests`, because a request counts when it is admitted, not while it is in flight. */
export function heldAmount(measure: RateMeasure, { bound, worstMicros }: HeldBound): bigint {
  return measure === 'requests' ? 0n : neededAmount(measure, worstMicros, bound)
}

/** In the unit of the limit's measure. */
export function neededAmount(measure: RateMeasure, micros: bigint, bound: CallBound): bigint {
  switch (measure) {
    case 'requests':
    case 'calls':
      return 1n
    case 'tokens':
      return BigInt(inputTokensOf(bound) + bound.outputTokens)
    case 'inputTokens':
      return BigInt(inputTokensOf(bound))
    case 'outputTokens':
      return BigInt(bound.outputTokens)
    case 'micros':
      return micros
  }
}

function inputTokensOf({ audioTokens, imageTokens, textTokens, tools }: CallBound): number {
  const ofTools = tools === undefined ? 0 : tools.uses * tools.tokensPerUse
  return textTokens + audioTokens + imageTokens + ofTools
}

export function hasRateRoom(limits: readonly RateLimit[], micros: bigint, bound: CallBound): boolean {
  for (const limit of limits) if (roomOf(limit) < neededAmount(limit.measure, micros, bound)) return false
  return true
}

/**
 * Each limit already counts the hold, so only the additional amount must fit.
 * @param micros the worst-case cost after the growth
 */
export function hasRateRoomToGrow(
  limits: readonly RateLimit[],
  hold: Hold,
  micros: bigint,
  bound: CallBound,
): boolean {
  return limits.every((limit) => {
    const { measure } = limit
    const more = neededAmount(measure, micros, bound) - neededAmount(measure, hold.worstMicros, hold.bound)
    return more <= 0n || more <= roomOf(limit)
  })
}

/** The remaining amount may be negative. */
export function roomOf({ held, most, slots }: RateLimit): bigint {
  const room = most - amountOf(slots)
  return held === 0n ? room : room - held
}

/**
 * Returns the refusal by the limit that blocks the request longest. Null if all limits allow the request. The code is
 * `spend_limit_exceeded` if the limit never allows the request, or limits charges per day, week or month. Otherwise,
 * the code is `rate_limited`.
 */
export function rateRefusal(
  limits: readonly RateLimit[],
  micros: bigint,
  bound: CallBound,
  nowMs: number,
): Refusal | null {
  let longest: { readonly limit: RateLimit; readonly needed: bigint; readonly clearsAtMs: number } | null =
    null
  for (const limit of limits) {
    const needed = neededAmount(limit.measure, micros, bound)
    if (needed <= roomOf(limit)) continue
    const clearsAtMs = clearsAt(limit, needed, nowMs)
    if (longest === null || clearsAtMs > longest.clearsAtMs) longest = { limit, needed, clearsAtMs }
  }
  if (longest === null) return null
  const { clearsAtMs, limit, needed } = longest
  const { held, measure, models, most, slots, source, tag, team, window } = limit
  return {
    kind: 'refused',
    code: clearsAtMs === Infinity || isSpendCap(limit) ? 'spend_limit_exceeded' : 'rate_limited',
    limitSource: source,
    limit: most,
    used: amountOf(slots),
    held,
    requested: needed,
    resetsAtMs: clearsAtMs === Infinity ? null : clearsAtMs,
    rate: {
      measure,
      window,
      models,
      ...(tag !== undefined && { tag }),
      ...(team !== undefined && { team }),
    },
  }
}

function isSpendCap({ measure, window }: RateRule): boolean {
  return measure === 'micros' && (window === 'day' || window === 'week' || window === 'month')
}

/** Time after which a request in flight will probably have released its hold. */
const releaseMs = 1_000

/** Infinity if the limit never allows the amount. */
function clearsAt({ most, slots, window }: RateLimit, needed: bigint, nowMs: number): number {
  if (needed > most) return Infinity
  let clearsAtMs = nowMs + releaseMs
  if (window === null) return clearsAtMs
  let over = amountOf(slots) + needed - most
  for (const { amount, startsAtMs } of slots) {
    if (over <= 0n) break
    over -= amount
    clearsAtMs = slotAt(window, startsAtMs).leavesAtMs ?? Infinity
  }
  return clearsAtMs
}
