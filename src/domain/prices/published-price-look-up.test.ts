import { describe, expect, it } from 'vitest'
import { priceList } from './published-price-look-up.ts'

const provider = {
  id: 'maker',
  name: 'Maker',
  kind: 'openai',
  baseUrls: ['https://api.maker.example/v1', 'https://api.maker.example'],
  pricingUrl: 'https://maker.example/prices',
}
const entry = {
  provider: 'maker',
  model: 'big-1',
  effectiveFrom: null,
  price: { input: '5', output: '7' },
  source: 'a test',
  checkedAt: '2026-09-23',
}
const listOf = (...models: object[]) => priceList({ providers: [provider], models })
const nowMs = Date.UTC(2026, 10, 20)

describe('a model in the price list', () => {
  it('a model in the price list is found only by its exact ID', () => {
    const list = listOf(entry)
    expect(list.model('maker', 'big-1', nowMs)?.price).toEqual({ input: 5n, output: 7n })
    for (const id of [
      'big-1-5',
      'big-1-mini',
      'big-1-20261120',
      'big-1-2026-11-20',
      'big',
      'BIG-1',
      'big-1 ',
      '',
    ])
      expect([id, list.model('maker', id, nowMs)]).toEqual([id, null])
    expect(list.model('other', 'big-1', nowMs)).toBeNull()
  })

  it('a model is found by its ID followed by a date only if the price list states this date format for the model', () => {
    const list = listOf({ ...entry, dated: 'YYYY-MM-DD' }, { ...entry, model: 'small-1', dated: 'YYYYMMDD' })
    expect(list.model('maker', 'big-1-2026-11-20', nowMs)).toMatchObject({
      model: 'big-1-2026-11-20',
      dated: null,
      price: { input: 5n },
    })
    expect(list.model('maker', 'small-1-20261120', nowMs)?.model).toBe('small-1-20261120')
    for (const id of [
      'big-1-20261120',
      'small-1-2026-11-20',
      'big-1-2026-11-20-2026-11-20',
      'big-1-2026-11-2',
    ])
      expect([id, list.model('maker', id, nowMs)]).toEqual([id, null])
  })

  it('a model that is listed with its date has its own price instead of the price for the ID without the date', () => {
    const own = { ...entry, model: 'big-1-2026-11-20', price: { input: '9', output: '9' } }
    const list = listOf({ ...entry, dated: 'YYYY-MM-DD' }, own)
    expect(list.model('maker', 'big-1-2026-11-20', nowMs)?.price.input).toBe(9n)
  })

  it('a model has its new price from the first millisecond of the day on which the price takes effect', () => {
    const later = { ...entry, effectiveFrom: '2027-01-01', price: { input: '10', output: '14' } }
    const list = listOf(later, entry)
    const startMs = Date.UTC(2027, 0, 1)
    expect(list.model('maker', 'big-1', startMs - 1)?.price.input).toBe(5n)
    expect(list.model('maker', 'big-1', startMs)?.price.input).toBe(10n)
    expect(list.models(startMs - 1).map(({ price }) => price.input)).toEqual([5n])
    expect(list.models(startMs).map(({ price }) => price.input)).toEqual([10n])
    expect([list.nextChangeMs('maker', startMs - 1), list.nextChangeMs('maker', startMs)]).toEqual([
      startMs,
      null,
    ])
    expect(list.nextChangeMs('other', 0)).toBeNull()
  })

  it('a model has no price before the day on which its first price starts', () => {
    const list = listOf({ ...entry, effectiveFrom: '2026-11-20' })
    expect(list.model('maker', 'big-1', nowMs - 1)).toBeNull()
    expect(list.models(nowMs - 1)).toEqual([])
    expect(list.model('maker', 'big-1', nowMs)?.effectiveFromMs).toBe(nowMs)
  })
})

describe('an account at published prices', () => {
  const list = listOf(entry)
  it('an account has published prices only at the addresses of the provider', () => {
    for (const baseUrl of provider.baseUrls) {
      expect(list.providerOf({ kind: 'openai', baseUrl })?.id).toBe('maker')
      expect(list.providerOf({ kind: 'openai_compatible', baseUrl })?.id).toBe('maker')
    }
    for (const baseUrl of [
      'https://eu.maker.example/v1',
      'https://api.maker.example/v1/',
      'https://api.maker.example/v2',
      null,
    ])
      expect([baseUrl, list.providerOf({ kind: 'openai', baseUrl })]).toEqual([baseUrl, null])
  })

  it('an account of another kind does not have published prices at the same address', () => {
    const [baseUrl] = provider.baseUrls
    expect(list.providerOf({ kind: 'anthropic', baseUrl: baseUrl ?? '' })).toBeNull()
    expect(list.providerOf({ kind: 'simulator', baseUrl: null })).toBeNull()
  })
})

describe('an invalid price list', () => {
  it('an invalid price list makes the start of the server fail', () => {
    const wrong: [object, string][] = [
      [{ price: { input: 5, output: 7 } }, 'maker big-1 has a price without faults'],
      [{ price: {} }, 'maker big-1 has a price without faults'],
      [{ provider: 'nobody' }, 'nobody is listed'],
      [{ source: '' }, 'big-1 has a source'],
      [{ checkedAt: '2026-13-45' }, 'big-1 has a day'],
      [{ effectiveFrom: 'soon' }, 'big-1 starts on a day'],
      [{ dated: 'any' }, 'big-1 has a form of date'],
      [{ contextTokens: -1 }, 'big-1 has counts'],
    ]
    for (const [change, claim] of wrong) expect(() => listOf({ ...entry, ...change })).toThrow(claim)
    expect(() => listOf(entry, { ...entry, price: { input: '6', output: '6' } })).toThrow(
      'one price at a time',
    )
    expect(() => priceList({ providers: [provider, provider], models: [] })).toThrow('listed once')
    expect(() => priceList([])).toThrow('a price list is')
  })
})
