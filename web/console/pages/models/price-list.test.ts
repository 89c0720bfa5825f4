import { describe, expect, it } from 'vitest'
import type { AccountModel, Bundle, Model } from '#sdk/generated/types.ts'
import { lastWeek, pricedName, stateOf } from './price-list.ts'

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

describe('a line of the price list', () => {
  it('costs what the first source charges whose price is whole', () => {
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

  it('says in words, and not by colour alone, that a source is passed over', () => {
    expect(stateOf(model).words).toBe('Served')
    expect(stateOf({ ...model, problems: ['no price'] })).toMatchObject({
      words: 'Partly served',
      title: 'no price',
    })
    expect(stateOf({ ...model, status: 'unpriced' }).words).toBe('No price')
    expect(stateOf({ ...model, status: 'test_only' }).words).toBe('Not in live mode')
  })

  it('has the margin of seven days, today with it', () => {
    expect(lastWeek(Date.parse('2026-11-20T13:00:00Z')).from).toBe('2026-11-14T00:00:00.000Z')
  })
})
