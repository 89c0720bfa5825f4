/**
 * Columns of every call contain short JSON, written without JSON.stringify. Types with a fixed set of fields (`Leg`,
 * `CallBound`) are stored as lists, amounts are decimal strings, and a usage omits counts of 0. Reading is strict: any
 * other text means that the store is corrupt.
 */
import assert from 'node:assert/strict'
import type { AliasCeilings } from '#domain/application-config.ts'
import type { Target } from '#domain/ledger-interface.ts'
import { upstreamFormats, type UpstreamFormat } from '#domain/accounts/provider-kinds.ts'
import type { EndUserLimit } from '#domain/end-user-record.ts'
import type { AliasRecord, AliasRecordSource } from '#domain/model-name-record.ts'
import { type KindRule, type ToolRule, type ToolRules, toolRules } from '#domain/provider-tool-rules.ts'
import { type WeeklyHours, weekdays } from '#domain/weekly-opening-hours.ts'
import { canReportOfNumber, numberOfCanReport } from '#money/reportable-dimensions-as-number.ts'
import type { CallBound, Quote, ToolBound } from '#money/decision-types.ts'
import type { Window } from '#money/periods-and-windows.ts'
import { rateMeasures, type RateRule, type RateSlot, rateWindows } from '#money/decision-types.ts'
import { type RateUse } from '#money/rate-limit.ts'
import {
  allDimensions,
  countedUses,
  fixedOutputs,
  type Dimension,
  type Price,
  priceFromJson,
  priceToJson,
  type Uses,
} from '#money/price.ts'
import { isPlausible, type Usage, usageCounts, zeroUsage } from '#money/usage-counts.ts'
import { labelsIn, tagsAndTeam } from './labels-of-calls.ts'

/** The column `limits` of a hold is not used, but must not be null. */
export const unusedLimitsText = '[]'

/**
 * A JSON array of nine fields, and more for tools and billed uses. The seventh field is always 0. Earlier versions
 * stored the number of web searches there.
 */
export function boundToText(bound: CallBound): string {
  const { alias, textTokens, audioTokens, imageTokens, outputTokens, choices, serviceTier } = bound
  const can = numberOfCanReport(bound.canReport)
  const tier = serviceTier === null ? 'null' : JSON.stringify(serviceTier)
  return `[${JSON.stringify(alias)},${textTokens},${audioTokens},${imageTokens},${outputTokens},${choices},0,${tier},${can}${toolsToText(bound.tools)}${furtherToText(bound)}]`
}

/** Writes the tenth field of the array. Omits the field if a request has no tools that the provider runs. */
function toolsToText(tools: ToolBound | undefined): string {
  if (tools === undefined) return ''
  const { searchesPerUse, tokensPerUse, uses, usesMax } = tools
  return `,[${uses},${usesMax},${tokensPerUse},${searchesPerUse}]`
}

function toolsFrom(json: unknown): ToolBound {
  const [uses = 0, usesMax = 0, tokensPerUse = 0, searchesPerUse = 0] = fieldsOf(json, 4, 'tool bound').map(
    numberOf,
  )
  return { uses, usesMax, tokensPerUse, searchesPerUse }
}

/**
 * Writes the last field of the array, which is an object. Omits the object if the call has no tags and no team, and the
 * request causes no billed uses, such as searches.
 */
function furtherToText(bound: CallBound): string {
  const { uses } = bound
  const tags = labelsIn(bound)
  if (tags.length === 0 && uses === undefined) return ''
  return `,${JSON.stringify({ ...uses, ...(tags.length > 0 && { tags }) })}`
}

function furtherFrom(json: Readonly<Record<string, unknown>>): Pick<CallBound, 'payerId' | 'tags' | 'uses'> {
  const uses = usesFrom(json)
  const { payerId, tags } = tagsAndTeam(json.tags === undefined ? [] : textsOf(json.tags))
  return {
    ...(Object.keys(uses).length > 0 && { uses }),
    ...(tags.length > 0 && { tags }),
    ...(payerId !== null && { payerId }),
  }
}

function usesFrom(json: Readonly<Record<string, unknown>>): Uses {
  const uses: { -readonly [count in keyof Uses]: Uses[count] } = {}
  for (const { count } of countedUses) if (json[count] !== undefined) uses[count] = numberOf(json[count])
  for (const output of fixedOutputs) if (json[output] !== undefined) uses[output] = numberOf(json[output])
  return uses
}

export function boundFromText(text: string): CallBound {
  const stored: unknown = JSON.parse(text)
  assert(Array.isArray(stored), 'a bound is a list')
  const last: unknown = stored.at(-1)
  const further = isRecord(last) ? furtherFrom(last) : null
  if (further !== null) stored.pop()
  const tools = stored.length === 10 ? toolsFrom(stored.pop()) : null
  const [alias, ...rest] = fieldsOf(stored, 9, 'bound')
  const can = numberOf(rest.pop())
  const serviceTier = rest.pop()
  const [textTokens, audioTokens, imageTokens, outputTokens, choices] = rest.map(numberOf)
  assert(
    textTokens !== undefined &&
      audioTokens !== undefined &&
      imageTokens !== undefined &&
      outputTokens !== undefined &&
      choices !== undefined,
  )
  return {
    alias: textOf(alias),
    textTokens,
    audioTokens,
    imageTokens,
    outputTokens,
    choices,
    serviceTier: serviceTier === null ? null : textOf(serviceTier),
    canReport: canReportOfNumber(can),
    ...(tools && { tools }),
    ...further,
  }
}

export function targetToText({ accountId, provider, model }: Target): string {
  return `[${JSON.stringify(accountId)},${JSON.stringify(provider)},${JSON.stringify(model)}]`
}

export function targetPrefix(accountId: string): string {
  return `[${JSON.stringify(accountId)},`
}

/** Ignores the background response that the text of a call in flight may contain (held-target-column.ts). */
export function targetFromText(text: string): Target {
  const [accountId, provider, model]: unknown[] = JSON.parse(text)
  return { accountId: textOf(accountId), provider: textOf(provider), model: textOf(model) }
}

export function usageToText(usage: Usage): string {
  let text = '{'
  for (const name of usageCounts) {
    const count = usage[name]
    if (count !== 0) text += `${text.length > 1 ? ',' : ''}"${name}":${count}`
  }
  if (usage.serviceTier !== null) {
    text += `${text.length > 1 ? ',' : ''}"serviceTier":${JSON.stringify(usage.serviceTier)}`
  }
  if (usage.isMediaWithin === true) text += `${text.length > 1 ? ',' : ''}"isMediaWithin":true`
  if (usage.cacheOverlap !== undefined)
    text += `${text.length > 1 ? ',' : ''}"cacheOverlap":${usage.cacheOverlap}`
  if (usage.isAmbiguous === true) text += `${text.length > 1 ? ',' : ''}"isAmbiguous":true`
  if (usage.outputBeyond !== undefined)
    text += `${text.length > 1 ? ',' : ''}"outputBeyond":${usage.outputBeyond}`
  if (usage.statedCostNanos !== undefined)
    text += `${text.length > 1 ? ',' : ''}"statedCostNanos":${usage.statedCostNanos}`
  return `${text}}`
}

export function usageFromText(text: string): Usage {
  const json: unknown = JSON.parse(text)
  assert(isRecord(json), 'a usage is a record')
  const usage: { -readonly [name in keyof Usage]: Usage[name] } = { ...zeroUsage }
  for (const name of usageCounts) {
    if (json[name] !== undefined) usage[name] = numberOf(json[name])
  }
  if (json.serviceTier !== undefined) usage.serviceTier = textOf(json.serviceTier)
  if (json.isMediaWithin === true) usage.isMediaWithin = true
  if (json.cacheOverlap !== undefined) usage.cacheOverlap = numberOf(json.cacheOverlap)
  if (json.isAmbiguous === true) usage.isAmbiguous = true
  if (json.outputBeyond !== undefined) usage.outputBeyond = numberOf(json.outputBeyond)
  if (json.statedCostNanos !== undefined) usage.statedCostNanos = numberOf(json.statedCostNanos)
  assert(isPlausible(usage), 'a stored usage is plausible')
  return usage
}

/** Omits the quote's ID. */
export function quoteToText(quote: Quote): string {
  return JSON.stringify({
    cost: priceToJson(quote.cost),
    ...(quote.assumed && { assumed: quote.assumed }),
    // If the bundle sets no price, store null, so that `sell` is read back as the same object as `cost`. Settling
    // compares the two.
    sell: quote.sell === quote.cost ? null : priceToJson(quote.sell),
    basis: quote.basis,
    credits: quote.credits === null ? null : priceToJson(quote.credits),
    policy: quote.policy,
    maxOverdraftMicros: String(quote.maxOverdraftMicros),
  })
}

export function quoteFromText(id: string, text: string): Quote {
  const json: unknown = JSON.parse(text)
  assert(isRecord(json), 'a quote is a record')
  const { basis, policy } = json
  assert(basis === 'provider_cost' || basis === 'sell_price', 'a quote has a basis')
  assert(
    policy === 'hard_token' || policy === 'complete_message' || policy === 'grace',
    'a quote has a policy',
  )
  const cost = priceOf(json.cost)
  return {
    id,
    cost,
    ...(json.assumed !== undefined && { assumed: assumedOf(json.assumed) }),
    sell: json.sell === null ? cost : priceOf(json.sell),
    basis,
    credits: json.credits === null ? null : priceOf(json.credits),
    policy,
    maxOverdraftMicros: bigintOf(json.maxOverdraftMicros),
  }
}

function assumedOf(json: unknown): Dimension[] {
  assert(Array.isArray(json), 'assumed dimensions are a list')
  return json.map((name: unknown) => {
    const dimension = allDimensions.find((known) => known === name)
    assert(dimension, 'an assumed dimension is one of a price')
    return dimension
  })
}

export function numbersFromText(text: string): number[] {
  return listOf(text, 'numbers').map(numberOf)
}

/** Reads a JSON array, for example of patterns or IDs. */
export function stringsFromText(text: string): string[] {
  return textsOf(JSON.parse(text))
}

export function endUserLimitsToText(limits: readonly EndUserLimit[]): string | null {
  if (limits.length === 0) return null
  return JSON.stringify(limits.map(({ micros, window }) => [window, String(micros)]))
}

export function endUserLimitsFromText(text: string | null): readonly EndUserLimit[] {
  if (text === null) return noLimits
  return listOf(text, 'limits').map((item) => {
    const [window, micros] = fieldsOf(item, 2, 'limit')
    assert(isWindow(window), 'a limit has a window')
    return { window, micros: bigintOf(micros) }
  })
}

const noLimits: readonly EndUserLimit[] = []

export function rateRulesToText(rules: readonly RateRule[]): string | null {
  if (rules.length === 0) return null
  return JSON.stringify(
    rules.map(({ measure, models, most, window }) => [measure, window, String(most), models]),
  )
}

export function rateRulesFromText(text: string | null): readonly RateRule[] {
  if (text === null) return noRules
  return listOf(text, 'rate limits').map((item) => {
    const [measure, window, most, models] = fieldsOf(item, 4, 'rate limit')
    return {
      measure: rateMeasureOf(measure),
      window: window === null ? null : rateWindowOf(window),
      most: bigintOf(most),
      models: modelsOf(models),
    }
  })
}

const noRules: readonly RateRule[] = []

/** Written for each request with limits. JSON.stringify would be slower, because it needs nested lists. */
export function rateUsesToText(uses: readonly RateUse[]): string {
  let text = ''
  for (const { measure, models, slots, window } of uses) {
    let ofSlots = ''
    for (const { amount, startsAtMs } of slots)
      ofSlots += `${ofSlots === '' ? '' : ','}[${startsAtMs},"${amount}"]`
    const ofModels = models === null ? 'null' : JSON.stringify(models)
    text += `${text === '' ? '' : ','}["${measure}","${window}",${ofModels},[${ofSlots}]]`
  }
  return `[${text}]`
}

export function rateUsesFromText(text: string | null): readonly RateUse[] {
  if (text === null) return noUses
  return listOf(text, 'rate uses').map((item) => {
    const [measure, window, models, slots] = fieldsOf(item, 4, 'rate use')
    return {
      measure: rateMeasureOf(measure),
      window: rateWindowOf(window),
      models: modelsOf(models),
      slots: slotsOf(slots),
    }
  })
}

const noUses: readonly RateUse[] = []

/** How much of a limit on requests in flight each running process has taken (nouns/limits/shared-limit-slices.ts). */
export interface TakenCalls {
  readonly models: readonly string[] | null
  /** The list has one item for each process, with the epoch (process number) in `startsAtMs`. */
  readonly byEpoch: readonly RateSlot[]
}

export function takenCallsToText(taken: readonly TakenCalls[]): string {
  return JSON.stringify(taken.map(({ byEpoch, models }) => [models, slotsToJson(byEpoch)]))
}

export function takenCallsFromText(text: string): TakenCalls[] {
  return listOf(text, 'taken requests in flight').map((item) => {
    const [models, byEpoch] = fieldsOf(item, 2, 'taken requests in flight')
    return { models: modelsOf(models), byEpoch: slotsOf(byEpoch) }
  })
}

function slotsToJson(slots: readonly RateSlot[]): unknown {
  return slots.map(({ amount, startsAtMs }) => [startsAtMs, String(amount)])
}

function slotsOf(json: unknown): RateSlot[] {
  assert(Array.isArray(json), 'a rate use has a list of slots')
  return json.map((slot: unknown) => {
    const [startsAtMs, amount] = fieldsOf(slot, 2, 'rate slot')
    return { startsAtMs: numberOf(startsAtMs), amount: bigintOf(amount) }
  })
}

function modelsOf(value: unknown): readonly string[] | null {
  return value === null ? null : textsOf(value)
}

function rateMeasureOf(value: unknown): RateRule['measure'] {
  const measure = rateMeasures.find((known) => known === value)
  assert(measure !== undefined, 'a rate limit has a measure')
  return measure
}

function rateWindowOf(value: unknown): RateUse['window'] {
  const window = rateWindows.find((known) => known === value)
  assert(window !== undefined, 'a rate limit has a window')
  return window
}

function isWindow(value: unknown): value is Window {
  return value === 'day' || value === 'week' || value === 'month' || value === 'total'
}

export function priceToText(price: Price): string {
  return JSON.stringify(priceToJson(price))
}

export function priceFromText(text: string): Price {
  return priceOf(JSON.parse(text))
}

export function aliasSourcesToText(sources: AliasRecord['sources']): string {
  return JSON.stringify(sources.map(({ accountId, model }) => ({ account: accountId, model })))
}

export function aliasSourcesFromText(text: string): AliasRecordSource[] {
  return listOf(text, 'alias sources').map((source) => {
    assert(isRecord(source), 'an alias source is a record')
    return { accountId: textOf(source.account), model: textOf(source.model) }
  })
}

export function ceilingsFromText(text: string): AliasCeilings {
  const json: unknown = JSON.parse(text)
  assert(isRecord(json), 'ceilings are a record')
  return json.outputTokens === undefined ? {} : { outputTokens: numberOf(json.outputTokens) }
}

export function wiresFromText(text: string): UpstreamFormat[] {
  return listOf(text, 'wires').map((name) => {
    const wire = upstreamFormats.find((known) => known === name)
    assert(wire, 'a stored wire is known')
    return wire
  })
}

export function toolRulesFromText(text: string): ToolRules {
  const json: unknown = JSON.parse(text)
  if (!isRecord(json)) return toolRuleOf(json)
  // Only some kinds of tools can have a maximum (operations/kernel/provider-tool-rules-schema.ts).
  return Object.fromEntries(Object.entries(json).map(([kind, rule]) => [kind, kindRuleOf(rule)])) as ToolRules
}

function kindRuleOf(json: unknown): KindRule {
  return Number.isSafeInteger(json) ? Number(json) : toolRuleOf(json)
}

function toolRuleOf(json: unknown): ToolRule {
  const rule = toolRules.find((known) => known === json)
  assert(rule, 'a stored rule for tools is known')
  return rule
}

export function weeklyHoursFromText(text: string): WeeklyHours[] {
  return listOf(text, 'weekly hours').map((hours) => {
    assert(isRecord(hours) && Array.isArray(hours.days), 'weekly hours are a record with days')
    const days = hours.days.map((name: unknown) => {
      const day = weekdays.find((known) => known === name)
      assert(day, 'a stored day is one of the week')
      return day
    })
    return { days, from: textOf(hours.from), until: textOf(hours.until) }
  })
}

function priceOf(json: unknown): Price {
  const price = priceFromJson(json)
  assert(price !== null, 'a stored price is a price')
  return price
}

export function listOf(text: string, name: string): unknown[] {
  const json: unknown = JSON.parse(text)
  assert(Array.isArray(json), `${name} are a list`)
  return json
}

function fieldsOf(json: unknown, count: number, name: string): unknown[] {
  assert(Array.isArray(json) && json.length === count, `a ${name} has ${count} fields`)
  return json
}

function textsOf(json: unknown): string[] {
  assert(Array.isArray(json), 'this field is a list of texts')
  return json.map(textOf)
}

export function textOf(json: unknown): string {
  assert(typeof json === 'string', 'this field is text')
  return json
}

function numberOf(json: unknown): number {
  assert(typeof json === 'number' && Number.isSafeInteger(json), 'this field is a whole number')
  return json
}

export function bigintOf(json: unknown): bigint {
  return BigInt(textOf(json))
}

function isRecord(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}
