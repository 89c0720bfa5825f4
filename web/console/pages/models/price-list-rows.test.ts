import { describe, expect, it } from 'vitest'
import type { AccountModel, Bundle, Model } from '#sdk/generated/types.ts'
import { lastWeek, pricedName, stateOf } from './price-list-rows.ts'

const model: Model = {
  name: 'acme/fast',
  sources: [
    { provider: 'first', model: 'a' },
    { provider: 'second', model: 'b' },
  ],
  ceilings: {},
  enabled: true,
  status: 'serving',
  problems: [],
  createdAt: '2026-11-20T00:00:00.000Z',
}
const priced = (missing: string[]): AccountModel =>
  ({ model: 'b', price: { input: '1', output: '2' }, missing }) as unknown as AccountModel
const bundle = { allow: ['acme/*'], deny: [], prices: [] } as unknown as Bundle

describe('a row of the price list', () => {
  it('a row of the price list uses the cost of the first source with a complete price', () => {
    const priceOf = ({ provider }: { provider: string }) =>
      provider === 'second' ? priced([]) : priced(['output'])
    expect(pricedName(model, priceOf, bundle).source?.provider).toBe('second')
    expect(pricedName(model, () => undefined, bundle)).toMatchObject({
      source: { provider: 'first' },
      cost: undefined,
      sell: null,
      isAllowed: true,
    })
    expect(pricedName(model, () => undefined, { ...bundle, deny: ['acme/fast'] }).isAllowed).toBe(false)
  })

  it('a row of the price list says in words that a source is skipped', () => {
    expect(stateOf(model).words).toBe('Serving')
    expect(stateOf({ ...model, problems: ['no price'] })).toMatchObject({
      words: 'Partially serving',
      title: 'no price',
    })
    expect(stateOf({ ...model, status: 'unpriced' }).words).toBe('No price')
    expect(stateOf({ ...model, status: 'test_only' }).words).toBe('Test mode only')
  })

  it('a row of the price list has the margin of seven days including today', () => {
    expect(lastWeek(Date.parse('2026-11-20T13:00:00Z')).from).toBe('2026-11-14T00:00:00.000Z')
  })
})
