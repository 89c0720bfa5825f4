/**
 * The tool must generate exactly the checked-in price file. Each price must have every rate that its provider kind
 * needs, and give the same charges as the package.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { calcPrice } from '@pydantic/genai-prices'
import { describe, expect, it } from 'vitest'
import { publishedPrices } from '#domain/prices/published-prices.ts'
import { requiredDimensions } from '#domain/prices/price-dimensions-required-by-kind.ts'
import { costOf } from '#money/cost.ts'
import { missingDimensions, type Price } from '#money/price.ts'
import { totalInput, withoutOutput, zeroUsage, type Usage } from '#money/usage-counts.ts'
import { hosts } from '../../tools/prices/listed-providers.ts'
import { makePriceFile } from '../../tools/prices/make-price-file.ts'
import { overridesFromJson } from '../../tools/prices/read-overrides-file.ts'
import { priceFileText, type ModelEntry } from '../../tools/prices/read-and-write-price-file.ts'
import { randomFrom, seedOfRun } from '../support/seeded-random.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const overrides = overridesFromJson(read('tools/prices/overrides.json'))
const { file } = makePriceFile(overrides)

describe('prices/prices.json', () => {
  it('prices/prices.json is the output of `npm run prices` for the installed package and the overrides', () => {
    const manifest: unknown = JSON.parse(read('node_modules/@pydantic/genai-prices/package.json'))
    expect(manifest).toMatchObject({ version: overrides.package.version })
    const isMade = read('prices/prices.json') === priceFileText(file)
    expect(isMade, 'prices/prices.json is old: run npm run prices').toBe(true)
  })

  it('every listed price has the dimensions that providers of its kind report, so that the gateway can serve the listed models', () => {
    const wanting = file.models.filter(({ effectiveFrom, model, provider }) => {
      const atMs = effectiveFrom === null ? 0 : Date.parse(effectiveFrom)
      const price = publishedPrices.model(provider, model, atMs)?.price
      const kind = publishedPrices.provider(provider)?.kind
      return !price || !kind || missingDimensions(price, requiredDimensions(kind, model)).length > 0
    })
    expect(wanting).toEqual([])
    expect(file.models.length).toBeGreaterThan(900)
  })

  it('prices/prices.json has prices for current models, and no price for an unknown ID that begins like a current model', () => {
    const nowMs = Date.UTC(2026, 10, 20)
    const priced = (name: string): boolean => {
      const slash = name.indexOf('/')
      return publishedPrices.model(name.slice(0, slash), name.slice(slash + 1), nowMs) !== null
    }
    for (const name of [
      'openai/gpt-6-sol',
      'openai/gpt-6-sol-2026-09-01',
      'openai/gpt-5-mini-2025-08-07',
      'anthropic/claude-opus-5-5',
      'anthropic/claude-opus-5-5-20260901',
      'anthropic/claude-haiku-4-5-20251001',
      'google/gemini-3.8-flash',
      'groq/openai/gpt-oss-120b',
      'openrouter/anthropic/claude-sonnet-4.5',
      'openai/text-embedding-3-small',
      'openai/text-embedding-3-large',
      'google/gemini-embedding-001',
      'google/gemini-embedding-2',
    ])
      expect([name, priced(name)]).toEqual([name, true])
    for (const name of [
      'anthropic/claude-sonnet-5-5',
      'anthropic/claude-haiku-5-5',
      'anthropic/claude-sonnet-4-5-20250930',
      'openai/gpt-6.1-sol',
      'openai/gpt-6-sol-20260901',
      'openai/gpt-4o-audio-preview',
      'google/gemini-4-carbon',
      'google/claude-opus-5',
    ])
      expect([name, priced(name)]).toEqual([name, false])
  })

  it('prices/prices.json and the package give the same charge, for any usage of any model at any time', () => {
    const seed = seedOfRun()
    const random = randomFrom(seed)
    let checked = 0
    for (const entry of file.models) {
      // The package has a price for each hour, and the price file has the most expensive price of the day.
      if (entry.note !== undefined) continue
      const atMs = entry.effectiveFrom === null ? firstMs : Date.parse(entry.effectiveFrom)
      const price = publishedPrices.model(entry.provider, entry.model, atMs)?.price
      expect(price).toBeDefined()
      if (!price) continue
      const whole = usageWithin(price, (most) => random.whole(0, most))
      // For an embedding model, the package charges nothing for tokens other than input.
      const usage = price.output === undefined ? { ...withoutOutput(whole), cacheRead: 0 } : whole
      const { model, provider } = atVendor(entry)
      const providerId = hosts.find(({ id }) => id === provider)?.seed ?? ''
      const theirs = calcPrice(theirUsage(usage), model, { providerId, timestamp: new Date(atMs) })
      const exactMicros = (theirs?.total_price ?? Number.NaN) * 1e6
      const ours = Number(costOf(usage, price).amount)
      // The product rounds a charge up once, and the package adds up floats.
      const isSame = ours > exactMicros - 1e-3 && ours < exactMicros + 1 + 1e-3
      expect(isSame, `seed ${seed}: ${entry.provider} ${entry.model} ${ours} ${exactMicros}`).toBe(true)
      checked += 1
    }
    expect(checked).toBeGreaterThan(900)
  })
})

type ListedId = Pick<ModelEntry, 'model' | 'provider'>

/** The same model on Vertex AI has the same price as at the vendor. */
function atVendor({ model, provider }: ListedId): ListedId {
  if (provider !== 'vertex') return { model, provider }
  return { model: model.replace('@', '-'), provider: model.startsWith('claude') ? 'anthropic' : 'google' }
}

/** A time before every price change in the package. */
const firstMs = Date.UTC(2020, 0, 1)

/** Some inputs are long enough for the price's tiers. */
function usageWithin(price: Price, upTo: (most: number) => number): Usage {
  const some = (rate: bigint | undefined): number => (rate === undefined ? 0 : upTo(100_000))
  const output = {
    reasoning: some(price.reasoning),
    audioOutput: some(price.audioOutput),
    imageOutput: some(price.imageOutput),
  }
  return {
    ...zeroUsage,
    ...output,
    input: upTo(300_000),
    cacheRead: upTo(100_000),
    cacheWrite: some(price.cacheWrite),
    cacheWriteLong: some(price.cacheWriteLong),
    audioInput: some(price.audioInput),
    imageInput: some(price.imageInput),
    output: upTo(100_000) + output.reasoning + output.audioOutput + output.imageOutput,
    webSearches: price.webSearch === undefined ? 0 : upTo(5),
    fileSearches: price.fileSearch === undefined ? 0 : upTo(5),
  }
}

/** In the package, totals include their parts. */
function theirUsage(usage: Usage): Record<string, number> {
  return {
    input_tokens: totalInput(usage),
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite + usage.cacheWriteLong,
    cache_write_1h_tokens: usage.cacheWriteLong,
    input_audio_tokens: usage.audioInput,
    input_image_tokens: usage.imageInput,
    // The product's counts of audio and images exclude cached tokens.
    cache_audio_read_tokens: 0,
    cache_image_read_tokens: 0,
    output_tokens: usage.output,
    output_reasoning_tokens: usage.reasoning,
    output_audio_tokens: usage.audioOutput,
    output_image_tokens: usage.imageOutput,
    web_searches: usage.webSearches,
    storage_searches: usage.fileSearches,
  }
}
