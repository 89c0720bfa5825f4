import { describe, expect, it } from 'vitest'
import { namedDimensions, priceFaults, priceOf, priceValues } from './price-text.ts'

const price = {
  input: '1250000',
  cacheRead: '125',
  output: '10000000',
  webSearch: '10000',
  tiers: [{ aboveInputTokens: 200_000, input: '2500000' }],
  serviceTiers: { priority: '2000' },
}

describe('a typed price', () => {
  it('a typed price is sent unchanged, to the micro', () => {
    expect(priceOf(priceValues(price))).toEqual(price)
    expect(priceValues(price)).toMatchObject({
      input: '1.25',
      cacheRead: '0.000125',
      output: '10',
      reasoning: '',
    })
  })

  it('a typed price omits empty rates, and keeps a rate of 0', () => {
    expect(priceOf({ ...priceValues(null), input: '0', output: '0.60' })).toEqual({
      input: '0',
      output: '600000',
    })
  })

  it('each error of a typed price is reported at its field', () => {
    const empty = priceValues(null)
    expect(Object.keys(priceFaults(empty))).toEqual(['input', 'output'])
    expect(priceFaults(empty, { required: [] })).toEqual({})
    const typed = { ...empty, input: '0.1234567', output: '-1', reasoning: 'much', rest: '{"tier":1}' }
    expect(Object.keys(priceFaults(typed))).toEqual(['input', 'output', 'reasoning', 'rest'])
    for (const rest of ['[]', 'null', '{'])
      expect([rest, Object.keys(priceFaults({ ...priceValues(price), rest }))]).toEqual([rest, ['rest']])
    expect(priceFaults(priceValues(price))).toEqual({})
  })

  it('the dimensions of several prices are listed together in a fixed order', () => {
    expect(namedDimensions({ output: '1' }, null, { input: '1', request: '2' })).toEqual([
      'input',
      'output',
      'request',
    ])
  })
})
