import type { JsonObject } from '#wire/text/json-values.ts'
import type { Effort, ReasoningWish } from '#convert/neutral-format.ts'

/**
 * Returns `thinkingConfig` for a model: a level for Gemini 3 and later, and a token budget for Gemini 2.5. Null for
 * models that do not think and for unknown models, because such models reject the field (docs/reference/conversions.md
 * "Effort and thinking").
 * @param outputTokensMax the maximum output including thoughts, so a budget must leave room for the answer
 */
export function thinkingConfigOf(
  wish: ReasoningWish,
  model: string,
  outputTokensMax: number | null,
): JsonObject | null {
  const family = familyOf(model)
  if (family === null) return null
  const shown = wish.isShown === null ? {} : { includeThoughts: wish.isShown }
  if (family === 'level') {
    const level = levelOf(wish, model)
    return orNull({ ...shown, ...(level !== null && { thinkingLevel: level }) })
  }
  const budget = budgetOf(wish, model, outputTokensMax)
  return orNull({ ...shown, ...(budget !== null && { thinkingBudget: budget }) })
}

function orNull(config: JsonObject): JsonObject | null {
  return Object.keys(config).length > 0 ? config : null
}

/**
 * Names without a version (`gemini-flash-latest`) belong to the newest models. A model ID from Google's list of models
 * has the prefix `models/`.
 */
function familyOf(model: string): 'level' | 'budget' | null {
  const { major, minor } = /(?:^|\/)gemini-(?<major>\d+)(?:\.(?<minor>\d+))?/.exec(model)?.groups ?? {}
  if (major === undefined) return /(?:^|\/)gemini-.*latest$/.test(model) ? 'level' : null
  if (Number(major) >= 3) return 'level'
  return major === '2' && minor === '5' ? 'budget' : null
}

function levelOf({ effort, budgetTokens }: ReasoningWish, model: string): string | null {
  const asked = effort ?? (budgetTokens === null ? null : effortOf(budgetTokens))
  if (asked === null) return null
  const level = levels[asked]
  // The first pro models have only LOW and HIGH.
  if (/(?:^|\/)gemini-3-pro/.test(model) && level === 'MEDIUM') return 'HIGH'
  return level === 'MINIMAL' && !hasMinimalLevel(model) ? 'LOW' : level
}

/** Only Flash models from Gemini 3 to Gemini 3.6 have the level MINIMAL. All models have the level LOW. */
function hasMinimalLevel(model: string): boolean {
  return /(?:^|\/)gemini-3(?:\.[0-6])?-flash/.test(model)
}

const levels: Readonly<Record<Effort, string>> = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
}

/** Returns the effort that is closest to a budget (docs/reference/conversions.md "Effort and thinking", in reverse). */
function effortOf(budgetTokens: number): Effort {
  if (budgetTokens <= 1024) return 'minimal'
  if (budgetTokens <= 4096) return 'low'
  return budgetTokens <= 8192 ? 'medium' : 'high'
}

function budgetOf(
  { effort, budgetTokens }: ReasoningWish,
  model: string,
  outputTokensMax: number | null,
): number | null {
  const asked = budgetTokens ?? (effort === null ? null : budgets[effort])
  if (asked === null) return null
  const { min, max, canBeOff } = rangeOf(model)
  if (asked === 0 && canBeOff) return 0
  const room = outputTokensMax === null ? max : Math.min(max, outputTokensMax - 1)
  return Math.max(min, Math.min(asked, room))
}

/** Token budgets by effort. The gateway defines the budgets, because vendors publish none. */
const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 512,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
}

/** A pro model always thinks. */
function rangeOf(model: string): { readonly min: number; readonly max: number; readonly canBeOff: boolean } {
  if (isPro(model)) return { min: 128, max: 32_768, canBeOff: false }
  return { min: model.includes('flash-lite') ? 512 : 1, max: 24_576, canBeOff: true }
}

function isPro(model: string): boolean {
  return /(?:^|\/)gemini-[\d.]+-pro/.test(model)
}

/** Models before Gemini 3 reject media in tool results. Other models and unknown models accept media there. */
export function acceptsMediaInResults(model: string): boolean {
  return !/(?:^|\/)gemini-[12](?:\.\d)?-/.test(model)
}

/**
 * Gemini 3 and later require the signature of each tool call that is sent back (docs/reference/conversions.md "Sealed
 * reasoning").
 */
export function needsSignatures(model: string): boolean {
  return familyOf(model) === 'level'
}
