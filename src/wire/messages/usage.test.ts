import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import { mergedUsage, usageFromMessages, usageToMessages } from './usage.ts'

describe('usageFromMessages', () => {
  it('cached tokens are separated from the input, and cache writes are split by lifetime', () => {
    expect(
      usageFromMessages({
        input_tokens: 8,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 50,
        cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 30 },
        output_tokens: 40,
        output_tokens_details: { thinking_tokens: 25 },
        server_tool_use: { web_search_requests: 2 },
        service_tier: 'priority',
      }),
    ).toEqual({
      ...zeroUsage,
      input: 8,
      cacheRead: 100,
      cacheWrite: 20,
      cacheWriteLong: 30,
      output: 40,
      reasoning: 25,
      webSearches: 2,
      serviceTier: 'priority',
    })
  })

  it('cache writes that a stream adds after the first report keep its longer lifetime', () => {
    const start = mergedUsage(
      {},
      {
        input_tokens: 3,
        cache_creation_input_tokens: 31_490,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 31_490 },
        output_tokens: 1,
      },
    )
    const end = mergedUsage(start, {
      input_tokens: 123_201,
      cache_creation_input_tokens: 184_457,
      output_tokens: 900,
      server_tool_use: { web_search_requests: 5 },
    })
    expect(usageFromMessages(end)).toMatchObject({ input: 123_201, cacheWrite: 0, cacheWriteLong: 184_457 })
  })

  it('cache writes of an unknown lifetime count as long if the report also has long cache writes', () => {
    const counts = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 100 }
    const split = (short: number, long: number) =>
      usageFromMessages({
        ...counts,
        cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
      })
    expect(split(20, 30)).toMatchObject({ cacheWrite: 20, cacheWriteLong: 80, isAmbiguous: true })
    expect(split(20, 0)).toMatchObject({ cacheWrite: 100, cacheWriteLong: 0 })
    expect(split(20, 0)).not.toHaveProperty('isAmbiguous')
    expect(split(20, 80)).toMatchObject({ cacheWrite: 20, cacheWriteLong: 80 })
    expect(split(20, 80)).not.toHaveProperty('isAmbiguous')
    expect(usageFromMessages(counts)).toMatchObject({ cacheWrite: 100, cacheWriteLong: 0 })
  })

  it('iterations that state the lifetime of every cache write decide the split', () => {
    const iteration = (written: number, split: object) => ({
      type: 'message',
      input_tokens: 1,
      cache_creation_input_tokens: written,
      cache_creation: split,
      output_tokens: 1,
    })
    expect(
      usageFromMessages({
        input_tokens: 2,
        output_tokens: 2,
        cache_creation_input_tokens: 100,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 60 },
        iterations: [
          iteration(60, { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 60 }),
          iteration(40, { ephemeral_5m_input_tokens: 40, ephemeral_1h_input_tokens: 0 }),
        ],
      }),
    ).toMatchObject({ cacheWrite: 40, cacheWriteLong: 60 })
  })

  it('fast answers are marked, because they cost several times as much', () => {
    const usage = { input_tokens: 1, output_tokens: 1, service_tier: 'standard' }
    expect(usageFromMessages({ ...usage, speed: 'fast' })?.serviceTier).toBe('fast')
    expect(usageFromMessages({ ...usage, speed: 'standard' })?.serviceTier).toBe('standard')
  })

  it('a region that costs more counts as the service tier', () => {
    const usage = { input_tokens: 1, output_tokens: 1 }
    const tierOf = (served: object) => usageFromMessages({ ...usage, ...served })?.serviceTier
    expect(tierOf({ service_tier: 'standard', inference_geo: 'us' })).toBe('us')
    expect(tierOf({ inference_geo: 'us' })).toBe('us')
    expect(tierOf({ service_tier: 'priority', inference_geo: 'us' })).toBe('priority')
    expect(tierOf({ service_tier: 'standard', inference_geo: 'us', speed: 'fast' })).toBe('fast')
    for (const region of ['global', 'not_available', '', null, 1])
      expect(tierOf({ service_tier: 'standard', inference_geo: region }), String(region)).toBe('standard')
  })

  it('the tokens of a compaction are added, because the top level omits them (docs/reference/wires.md "Usage on the messages wire")', () => {
    expect(
      usageFromMessages({
        input_tokens: 181,
        output_tokens: 8,
        iterations: [
          { type: 'compaction', input_tokens: 100, cache_read_input_tokens: 55_096, output_tokens: 83 },
          { type: 'message', input_tokens: 181, output_tokens: 8 },
        ],
      }),
    ).toMatchObject({ input: 281, cacheRead: 55_096, output: 91 })
  })

  it('if the iterations add up to the top-level counts, no count is added twice', () => {
    const counts = { input_tokens: 10, cache_creation_input_tokens: 4, output_tokens: 5 }
    expect(usageFromMessages({ ...counts, iterations: [{ type: 'message', ...counts }] })).toEqual(
      usageFromMessages(counts),
    )
    expect(usageFromMessages({ ...counts, iterations: [] })).toEqual(usageFromMessages(counts))
  })

  it('if a fallback model responded, the counts at the top level are used', () => {
    const counts = { input_tokens: 10, output_tokens: 5 }
    const iterations = [
      { type: 'message', input_tokens: 10, output_tokens: 90 },
      { type: 'fallback_message', ...counts },
    ]
    expect(usageFromMessages({ ...counts, iterations })).toMatchObject({ input: 10, output: 5 })
  })

  it('if one count is missing, the other count is kept', () => {
    expect(usageFromMessages({ output_tokens: 65 })).toMatchObject({ output: 65, lacks: 'input' })
    expect(usageFromMessages({ input_tokens: 7, output_tokens: null })).toMatchObject({
      input: 7,
      lacks: 'output',
    })
    expect(usageFromMessages({ cache_read_input_tokens: 5 })).toBeNull()
    expect(
      usageFromMessages({ output_tokens: 3, iterations: [{ input_tokens: 4, output_tokens: 3 }] }),
    ).not.toHaveProperty('lacks')
  })

  it('thinking beyond the output is added to the output, and cache writes beyond their stated sum count', () => {
    const told = { input_tokens: 1, output_tokens: 18 }
    const thinking = (count: number) => ({ output_tokens_details: { thinking_tokens: count } })
    expect(usageFromMessages({ ...told, ...thinking(18) })).toMatchObject({ output: 18, reasoning: 18 })
    expect(usageFromMessages({ ...told, ...thinking(19) })).toMatchObject({ output: 37, reasoning: 19 })
    const split = { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 30 }
    expect(
      usageFromMessages({ ...told, cache_creation_input_tokens: 25, cache_creation: split }),
    ).toMatchObject({ cacheWrite: 20, cacheWriteLong: 30 })
  })

  it.each([[1e15], [-1], [0.5], ['12']])('if a count is %s, the usage counts as missing', (count) => {
    expect(usageFromMessages({ input_tokens: count, output_tokens: 1 })).toBeNull()
    expect(usageFromMessages({ input_tokens: 1, output_tokens: count })).toBeNull()
    for (const name of ['cache_read_input_tokens', 'cache_creation_input_tokens'])
      expect(usageFromMessages({ input_tokens: 1, output_tokens: 1, [name]: count }), name).toBeNull()
    const iterations = [{ type: 'compaction', input_tokens: count }]
    expect(usageFromMessages({ input_tokens: 1, output_tokens: 1, iterations })).toBeNull()
  })

  it.each([[null], [undefined], [5], ['x'], [[]]])('%j counts as no usage', (raw) => {
    expect(usageFromMessages(raw)).toBeNull()
  })

  it('an explicit zero is accepted as a count', () => {
    expect(usageFromMessages({ input_tokens: 0, output_tokens: 0 })).toEqual(zeroUsage)
  })

  it('a written usage is read back unchanged', () => {
    const count = fc.nat(1_000_000)
    fc.assert(
      fc.property(
        count,
        count,
        count,
        count,
        count,
        count,
        fc.nat(9),
        (input, cacheRead, cacheWrite, cacheWriteLong, output, thought, webSearches) => {
          const usage = {
            ...zeroUsage,
            input,
            cacheRead,
            cacheWrite,
            cacheWriteLong,
            output,
            webSearches,
            reasoning: Math.min(thought, output),
          }
          expect(usageFromMessages(usageToMessages(usage))).toEqual(usage)
        },
      ),
    )
  })
})

describe('mergedUsage', () => {
  it('later usage reports replace earlier reports field by field, and are never added to them', () => {
    const start = {
      input_tokens: 43,
      output_tokens: 1,
      cache_creation: { ephemeral_1h_input_tokens: 5 },
      speed: 'fast',
    }
    expect(mergedUsage(start, { input_tokens: 61, output_tokens: 20, speed: null })).toEqual({
      ...start,
      input_tokens: 61,
      output_tokens: 20,
    })
    expect(mergedUsage(start, { output_tokens: 20 })).toMatchObject({ input_tokens: 43 })
    expect(mergedUsage(start, null)).toEqual(start)
  })
})
