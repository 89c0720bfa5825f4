import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { ModelInfo } from '@pydantic/genai-prices'
import { describe, expect, it } from 'vitest'
import { compareWithLitellm } from '../../tools/prices/compare-with-litellm.ts'
import { exactly } from '../../tools/prices/exact-decimal.ts'
import { makePriceFile } from '../../tools/prices/make-price-file.ts'
import { modelIds } from '../../tools/prices/exact-ids-of-package-entry.ts'
import { dearestOf, exactPrice } from '../../tools/prices/exact-prices-from-package.ts'
import { overridesFromJson, type Overrides } from '../../tools/prices/read-overrides-file.ts'
import { priceFileText, type ModelEntry } from '../../tools/prices/read-and-write-price-file.ts'

const plain: Overrides = {
  package: { version: '0.1.8', publishedAt: '2026-09-23' },
  models: [],
  snapshots: [],
}

describe('a price in dollars', () => {
  it('a float of dollars becomes the exact integer of its decimal text, even if a multiplication would be inexact', () => {
    expect(1.005 * 1e6).not.toBe(1_005_000)
    expect(exactly(1.005, 6)).toBe(1_005_000n)
    expect([exactly(0.0028, 6), exactly(75, 6), exactly(0, 6), exactly(1e-6, 6), exactly(1e21, 0)]).toEqual([
      2_800n,
      75_000_000n,
      0n,
      1n,
      10n ** 21n,
    ])
    expect(exactly(10, 3)).toBe(10_000n)
  })

  it('a float of dollars that is not a whole number of micros is rejected, and so is text', () => {
    for (const dollars of [0.08333333333333334, 1e-7, -1, Number.NaN, Infinity])
      expect([dollars, exactly(dollars, 6)]).toEqual([dollars, null])
  })
})

describe('the IDs of a model', () => {
  const idsOf = (match: ModelInfo['match'], ...others: ModelInfo[]) => {
    const model = { id: 'big-1', match, prices: {} }
    const { dated, ids } = modelIds(model, [...others, model])
    return { ids, dated: [...dated] }
  }

  it('a model has the IDs that the package lists literally', () => {
    expect(idsOf({ or: [{ equals: 'big-1' }, { equals: 'big-one' }, { starts_with: 'big-1-' }] })).toEqual({
      ids: ['big-1', 'big-one'],
      dated: [],
    })
    expect(idsOf({ starts_with: 'big' }).ids).toEqual(['big-1'])
    expect(idsOf({ equals: 'host/big-1' }).ids).toEqual(['host/big-1'])
  })

  it('a date may follow the ID of a model if the package’s regular expression allows only a date', () => {
    const date = { regex: '^big\\.1-\\d{4}-\\d{2}-\\d{2}$' }
    expect(idsOf({ or: [{ equals: 'big.1' }, { equals: 'big-1' }, date] }).dated).toEqual([
      ['big.1', 'YYYY-MM-DD'],
    ])
    expect(idsOf({ or: [{ equals: 'big-1' }, { regex: '^big-1-\\d{8}$' }] }).dated).toEqual([
      ['big-1', 'YYYYMMDD'],
    ])
    for (const regex of ['^big-1-\\d+$', '^big-.*-\\d{8}$', 'big-1-\\d{8}', '^(big-1|big-2)-\\d{8}$'])
      expect([regex, idsOf({ or: [{ equals: 'big-1' }, { regex }] }).dated]).toEqual([regex, []])
  })

  it('if several models match an ID, the ID belongs to the first of these models', () => {
    const first = { id: 'other', match: { equals: 'big-one' }, prices: {} }
    expect(idsOf({ or: [{ equals: 'big-1' }, { equals: 'big-one' }] }, first).ids).toEqual(['big-1'])
  })
})

describe('a price of the package', () => {
  it('a price of the package keeps every dimension, and keeps tiers that depend on the length of the whole input', () => {
    const price = exactPrice(
      {
        input_mtok: { base: 5, tiers: [{ start: 271_999, price: 10 }] },
        cache_read_mtok: { base: 0.5, tiers: [{ start: 271_999, price: 1 }] },
        output_mtok: 30,
        web_searches_kcount: 10,
        requests_kcount: 5,
        storage_searches_kcount: 2.5,
      },
      'openai_compatible',
    )
    expect(price).toEqual({
      input: '5000000',
      cacheRead: '500000',
      output: '30000000',
      request: '5000',
      webSearch: '10000',
      fileSearch: '2500',
      tiers: [{ aboveInputTokens: 271_999, input: '10000000', cacheRead: '1000000' }],
    })
  })

  it('a part of the input that a vendor reports separately is a separate dimension of the price', () => {
    const text = { input_mtok: 0.3, output_mtok: 2.5 }
    expect(exactPrice(text, 'google')).toMatchObject({ audioInput: '300000', imageInput: '300000' })
    expect(exactPrice({ ...text, input_audio_mtok: 1 }, 'google')).toMatchObject({ audioInput: '1000000' })
    expect(exactPrice(text, 'openai')).toMatchObject({ cacheWrite: '300000' })
    expect(exactPrice(text, 'anthropic')).toEqual({ input: '300000', output: '2500000' })
  })

  it('a price of the package that cannot be converted exactly is rejected, and the error names its source', () => {
    expect(exactPrice({ input_mtok: 1 / 3, output_mtok: 1 }, 'openai')).toBe(
      'input_mtok is not a whole number of micros',
    )
    expect(exactPrice({ input_mtok: 1, output_mtok: 1, output_video_mtok: 1 }, 'google')).toBe(
      'is charged by output_video_mtok',
    )
    const tier = { base: 1, tiers: [{ start: 5, price: 1e-7 }] }
    expect(exactPrice({ input_mtok: tier, output_mtok: 1 }, 'google')).toBe(
      'input_mtok above 5 is not a whole number of micros',
    )
    expect(exactPrice({ web_searches_kcount: 1 }, 'google')).toBe('is no price')
  })

  it('if a price changes by the hour, each rate is taken from its most expensive hour', () => {
    expect(
      dearestOf([
        { input: '1', output: '9' },
        { input: '2', output: '8' },
      ]),
    ).toEqual({ input: '2', output: '9' })
    expect(dearestOf([{ input: '1', output: '9' }, { input: '2' }])).toBeNull()
    expect(dearestOf([])).toBeNull()
  })
})

describe('the generated file', () => {
  const entry: ModelEntry = {
    provider: 'openai',
    model: 'gpt-6-sol',
    effectiveFrom: '2026-11-01',
    price: { input: '1', cacheWrite: '1', output: '2' },
    source: 'https://maker.example/prices',
    checkedAt: '2026-11-20',
  }

  it('for a model with an override, the generated file has the override instead of the package’s price', () => {
    const { file } = makePriceFile({ ...plain, models: [entry] })
    expect(
      file.models.filter(({ model, provider }) => provider === 'openai' && model === 'gpt-6-sol'),
    ).toEqual([entry])
  })

  it('the generated file has a dated ID only for the model to which the package assigns it', () => {
    const snapshot = {
      provider: 'anthropic',
      model: 'claude-opus-4-5',
      id: 'claude-opus-4-5-20251101',
      source: 'its maker',
      checkedAt: '2026-11-20',
    }
    const { file } = makePriceFile({ ...plain, snapshots: [snapshot] })
    const made = file.models.filter(({ model }) => model === snapshot.id)
    expect(made).toEqual([
      expect.objectContaining({
        price: file.models.find(({ model }) => model === 'claude-opus-4-5')?.price,
        source: '@pydantic/genai-prices 0.1.8; its maker',
      }),
    ])
    for (const [wrong, claim] of [
      [{ id: 'claude-opus-4-6-20251101' }, 'the package puts'],
      [{ id: 'claude-opus-4-5-fast' }, 'does not end in a date'],
      [{ model: 'claude-opus-4' }, 'the package puts'],
      [{ id: 'claude-fable-5', model: 'claude-fable-5' }, 'does not end in a date'],
    ] as const)
      expect(() => makePriceFile({ ...plain, snapshots: [{ ...snapshot, ...wrong }] })).toThrow(claim)
  })

  it('the generated file states the reason for every omitted model', () => {
    const { file, leftOut } = makePriceFile(plain)
    const taken = new Set(file.models.map(({ model, provider }) => `${provider} ${model}`))
    expect(leftOut.filter(({ model, provider }) => taken.has(`${provider} ${model}`))).toEqual([])
    const reasonOf = (model: string) => leftOut.find((one) => one.model === model)?.reason
    expect(reasonOf('gpt-4o-audio-preview')).toBe('takes audio, and its price names none')
    expect(reasonOf('google/gemini-3.1-flash-lite')).toBe('cache_write_mtok is not a whole number of micros')
    expect(reasonOf('gemini-omni-flash-preview')).toBe('is charged by output_video_mtok')
  })

  it('the generated file does not depend on the order of its entries', () => {
    const { file } = makePriceFile(plain)
    expect(priceFileText({ ...file, models: file.models.toReversed() })).toBe(priceFileText(file))
  })
})

describe('overrides', () => {
  it('overrides are rejected if they lack an exact price, a source or a day', () => {
    const model = {
      provider: 'openai',
      model: 'm',
      effectiveFrom: null,
      price: { input: '1' },
      source: 's',
      checkedAt: '2026-11-20',
    }
    const text = (change: object): string => JSON.stringify({ ...plain, models: [{ ...model, ...change }] })
    expect(overridesFromJson(text({})).models).toHaveLength(1)
    for (const [change, claim] of [
      [{ price: { input: 1 } }, 'm has no exact price'],
      [{ price: { input: '0.5' } }, 'm has no exact price'],
      [{ source: '' }, 'm needs a source and the day of its check'],
      [{ checkedAt: 'today' }, 'm needs a source and the day of its check'],
    ] as const)
      expect(() => overridesFromJson(text(change))).toThrow(claim)
  })
})

describe('comparison with a second source of prices', () => {
  const file = {
    providers: [],
    models: [
      {
        provider: 'openai',
        model: 'big',
        effectiveFrom: null,
        price: {
          input: '2000000',
          cacheRead: '200000',
          output: '8000000',
          webSearch: '10000',
          tiers: [{ aboveInputTokens: 271_999, input: '4000000' }],
        },
        source: 's',
        checkedAt: '2026-11-20',
      },
      {
        provider: 'xai',
        model: 'grok',
        effectiveFrom: '2027-01-01',
        price: { input: '9', output: '9' },
        source: 's',
        checkedAt: '2026-11-20',
      },
    ],
  }
  const theirs = {
    litellm_provider: 'openai',
    input_cost_per_token: 2e-6,
    cache_read_input_token_cost: 2.02e-7,
    output_cost_per_token: 8.1e-6,
    input_cost_per_token_above_272k_tokens: 5e-6,
    search_context_cost_per_query: { search_context_size_medium: 0.025 },
  }

  it('differences of more than one percent from a second source are reported, including tiers and searches', () => {
    expect(compareWithLitellm(file, { big: theirs }, '2026-11-20')).toEqual({
      shared: 1,
      differences: [
        { provider: 'openai', model: 'big', what: 'output', ours: '8000000', theirs: '8100000' },
        { provider: 'openai', model: 'big', what: 'input above 272k', ours: '4000000', theirs: '5000000' },
        { provider: 'openai', model: 'big', what: 'webSearch', ours: '10000', theirs: '25000' },
      ],
    })
  })

  it('the current price is compared with the price of a second source under that source’s names, and only for the same provider', () => {
    const grok = { litellm_provider: 'xai', input_cost_per_token: 1, output_cost_per_token: 1 }
    expect(compareWithLitellm(file, { 'xai/grok': grok }, '2026-12-31').shared).toBe(0)
    expect(compareWithLitellm(file, { 'xai/grok': grok }, '2027-01-01')).toMatchObject({ shared: 1 })
    expect(
      compareWithLitellm(file, { big: { ...theirs, litellm_provider: 'azure' } }, '2026-11-20').shared,
    ).toBe(0)
    expect(() => compareWithLitellm(file, [], '2026-11-20')).toThrow('not a JSON object')
  })
})

describe('npm run prices', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(process.cwd(), 'tools/prices/main.ts'), ...args], { encoding: 'utf8' })

  it('npm run prices prints its usage, and reports that the checked-in file is up to date', () => {
    expect(run('--help').stdout).toContain('Usage: npm run prices')
    expect(run('--check')).toMatchObject({
      status: 0,
      stdout: 'prices/prices.json is what would be written\n',
    })
    expect(run('--wrong').status).toBe(1)
  })
})
