/** The checked-in prices: made by the tool, whole for their kind, and what the package would charge. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { calcPrice } from '@pydantic/genai-prices'
import { describe, expect, it } from 'vitest'
import { publishedPrices } from '#domain/prices/published-prices.ts'
import { kindFacts } from '#domain/provider-kinds.ts'
import { costOf } from '#money/cost.ts'
import { missingDimensions, type Price } from '#money/price.ts'
import { totalInput, zeroUsage, type Usage } from '#money/usage.ts'
import { hosts } from '../../tools/prices/hosts.ts'
import { makePriceFile } from '../../tools/prices/make.ts'
import { overridesFromJson } from '../../tools/prices/overrides.ts'
import { priceFileText } from '../../tools/prices/price-file.ts'
import { randomFrom, seedOfRun } from '../support/random.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const overrides = overridesFromJson(read('tools/prices/overrides.json'))
const { file } = makePriceFile(overrides)

describe('prices/prices.json', () => {
  it('is what `npm run prices` makes of the installed package and the overrides', () => {
    const manifest: unknown = JSON.parse(read('node_modules/@pydantic/genai-prices/package.json'))
    expect(manifest).toMatchObject({ version: overrides.package.version })
    const isMade = read('prices/prices.json') === priceFileText(file)
    expect(isMade, 'prices/prices.json is old: run npm run prices').toBe(true)
  })

  it('names in every price what providers of its kind report, so that what is listed can be served', () => {
    const wanting = file.models.filter(({ effectiveFrom, model, provider }) => {
      const atMs = effectiveFrom === null ? 0 : Date.parse(effectiveFrom)
      const price = publishedPrices.model(provider, model, atMs)?.price
      const kind = publishedPrices.provider(provider)?.kind
      return !price || !kind || missingDimensions(price, kindFacts(kind).reportedDimensions).length > 0
    })
    expect(wanting).toEqual([])
    expect(file.models.length).toBeGreaterThan(900)
  })

  it('has the current models of the three vendors, and nothing for ids that only start alike', () => {
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
    ])
      expect([name, priced(name)]).toEqual([name, true])
    for (const name of [
      'anthropic/claude-sonnet-5-5',
      'anthropic/claude-haiku-5-5',
      'anthropic/claude-sonnet-4-5-20250930',
      'openai/gpt-6.1-sol',
      'openai/gpt-6-sol-20260901',
      'openai/gpt-4o-audio-preview',
      'openai/text-embedding-3-small',
      'google/gemini-4-carbon',
      'google/claude-opus-5',
    ])
      expect([name, priced(name)]).toEqual([name, false])
  })

  it('costs what the package says, for any use of any model and any of its times', () => {
    const seed = seedOfRun()
    const random = randomFrom(seed)
    let checked = 0
    for (const entry of file.models) {
      // The package's hourly price differs from ours, which is the most expensive price of the day.
      if (entry.note !== undefined) continue
      const atMs = entry.effectiveFrom === null ? firstMs : Date.parse(entry.effectiveFrom)
      const price = publishedPrices.model(entry.provider, entry.model, atMs)?.price
      expect(price).toBeDefined()
      if (!price) continue
      const usage = usageWithin(price, (most) => random.whole(0, most))
      const providerId = hosts.find(({ id }) => id === entry.provider)?.seed ?? ''
      const theirs = calcPrice(theirUsage(usage), entry.model, { providerId, timestamp: new Date(atMs) })
      const exactMicros = (theirs?.total_price ?? Number.NaN) * 1e6
      const ours = Number(costOf(usage, price).amount)
      // Ours is rounded up once; theirs is a sum of floats.
      const isSame = ours > exactMicros - 1e-3 && ours < exactMicros + 1 + 1e-3
      expect(isSame, `seed ${seed}: ${entry.provider} ${entry.model} ${ours} ${exactMicros}`).toBe(true)
      checked += 1
    }
    expect(checked).toBeGreaterThan(900)
  })
})

/** Before every change of a price in the package. */
const firstMs = Date.UTC(2020, 0, 1)

/** A use of everything that the price names, sometimes above its tiers. */
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
  }
}

/** The same in the package's words: totals that include their parts. */
function theirUsage(usage: Usage): Record<string, number> {
  return {
    input_tokens: totalInput(usage),
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite + usage.cacheWriteLong,
    cache_write_1h_tokens: usage.cacheWriteLong,
    input_audio_tokens: usage.audioInput,
    input_image_tokens: usage.imageInput,
    // Ours are counted as what they are when they are not cached.
    cache_audio_read_tokens: 0,
    cache_image_read_tokens: 0,
    output_tokens: usage.output,
    output_reasoning_tokens: usage.reasoning,
    output_audio_tokens: usage.audioOutput,
    output_image_tokens: usage.imageOutput,
    web_searches: usage.webSearches,
  }
}
