/**
 * Compares the price file with LiteLLM's `model_prices_and_context_window.json`, and lists differences of more than one
 * percent. A comparison finds mistakes, because two people who read a price page independently rarely make the same
 * mistake. No price is copied from LiteLLM. LiteLLM's prices are in dollars per token and per search.
 */
import { allDimensions, type Dimension, type RatesJson } from '#money/price.ts'
import type { ModelEntry, PriceFile } from './read-and-write-price-file.ts'

export interface Comparison {
  /** Number of models that are in both files. */
  readonly shared: number
  readonly differences: readonly Difference[]
}

export interface Difference {
  readonly provider: string
  readonly model: string
  /** The name of the rate, with its price tier. */
  readonly what: string
  readonly ours: string
  readonly theirs: string
}

/** Maps our provider to LiteLLM's prefix of model IDs and to LiteLLM's name of the provider. */
const theirNames: Readonly<Record<string, { readonly prefix: string; readonly provider: string }>> = {
  anthropic: { prefix: '', provider: 'anthropic' },
  deepseek: { prefix: 'deepseek/', provider: 'deepseek' },
  fireworks: { prefix: 'fireworks_ai/', provider: 'fireworks_ai' },
  google: { prefix: 'gemini/', provider: 'gemini' },
  groq: { prefix: 'groq/', provider: 'groq' },
  mistral: { prefix: 'mistral/', provider: 'mistral' },
  openai: { prefix: '', provider: 'openai' },
  openrouter: { prefix: 'openrouter/', provider: 'openrouter' },
  together: { prefix: 'together_ai/', provider: 'together_ai' },
  xai: { prefix: 'xai/', provider: 'xai' },
}

const theirRates: Readonly<Partial<Record<Dimension, string>>> = {
  input: 'input_cost_per_token',
  cacheRead: 'cache_read_input_token_cost',
  cacheWrite: 'cache_creation_input_token_cost',
  cacheWriteLong: 'cache_creation_input_token_cost_above_1hr',
  audioInput: 'input_cost_per_audio_token',
  imageInput: 'input_cost_per_image_token',
  output: 'output_cost_per_token',
  reasoning: 'output_cost_per_reasoning_token',
  audioOutput: 'output_cost_per_audio_token',
  imageOutput: 'output_cost_per_image_token',
}

/** @param atDay the day on which the compared prices apply, such as `2026-11-20` */
export function compareWithLitellm(file: PriceFile, litellm: unknown, atDay: string): Comparison {
  if (!isRecord(litellm)) throw new Error('the second source is not a JSON object of models')
  const differences: Difference[] = []
  let shared = 0
  for (const entry of currentEntries(file, atDay)) {
    const names = theirNames[entry.provider]
    const theirs = names && litellm[`${names.prefix}${entry.model}`]
    if (!isRecord(theirs) || theirs['litellm_provider'] !== names?.provider) continue
    shared += 1
    differences.push(...differencesOf(entry, theirs))
  }
  return { shared, differences }
}

function currentEntries({ models }: PriceFile, atDay: string): ModelEntry[] {
  const current = new Map<string, ModelEntry>()
  for (const entry of models) {
    const name = `${entry.provider} ${entry.model}`
    const start = entry.effectiveFrom ?? ''
    const other = current.get(name)
    if (start <= atDay && (other === undefined || (other.effectiveFrom ?? '') < start))
      current.set(name, entry)
  }
  return [...current.values()]
}

function differencesOf(entry: ModelEntry, theirs: Record<string, unknown>): Difference[] {
  const { model, price, provider } = entry
  const differences: Difference[] = []
  const compare = (what: string, ours: string | undefined, dollars: unknown, micros: number): void => {
    // LiteLLM's file is incomplete, so a rate that one source lacks is not a difference.
    if (ours === undefined || typeof dollars !== 'number') return
    const rate = dollars * micros
    if (Math.abs(rate - Number(ours)) <= 0.01 * Math.max(rate, Number(ours))) return
    differences.push({ provider, model, what, ours, theirs: String(Math.round(rate * 1000) / 1000) })
  }
  const rates = (ours: RatesJson, suffix: string, label: string): void => {
    for (const dimension of allDimensions) {
      const name = theirRates[dimension]
      if (name !== undefined)
        compare(`${dimension}${label}`, ours[dimension], theirs[`${name}${suffix}`], 1e12)
    }
  }
  rates(price, '', '')
  for (const tier of price.tiers ?? []) {
    // LiteLLM names a price tier after the round number at which the tier starts. In our file, `aboveInputTokens` is
    // the largest input that is still charged at the lower price.
    const thousands = Math.round(tier.aboveInputTokens / 1000)
    rates(tier, `_above_${thousands}k_tokens`, ` above ${thousands}k`)
  }
  const search = theirs['search_context_cost_per_query']
  if (isRecord(search)) compare('webSearch', price.webSearch, search['search_context_size_medium'], 1e6)
  return differences
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
