import { describe, expect, it } from 'vitest'
import type { HealthOutput } from '#sdk/generated/operations.ts'
import type { AccountModel, Bundle, Model } from '#sdk/generated/types.ts'
import { healthOf, lastWeek, pricedName, stateOf } from './price-list.ts'

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

  it('has the health of its calls, and of what is kept away from them', () => {
    const health = (failed: number, calls: number, kept: string[] = []): HealthOutput =>
      ({
        circuits: kept.map((provider) => ({ provider, model: provider === 'first' ? 'a' : 'b', why: 'w' })),
        windows: [
          {
            models: [
              {
                requestedModel: 'acme/fast',
                calls,
                failed: { provider: failed, ours: 0, client: 9, limit: 9 },
                failureRates: { provider: failed / calls, ours: 0, client: 0, limit: 0 },
              },
            ],
          },
        ],
      }) as unknown as HealthOutput
    const words = (given: HealthOutput | undefined): string => healthOf(model, given).words
    expect(words(undefined)).toBe('Not known')
    expect(words(health(0, 0))).toBe('No calls')
    expect(words(health(0, 100))).toBe('Healthy')
    expect([words(health(4, 100)), words(health(5, 100))]).toEqual(['Some fail', 'Failing'])
    expect(words(health(0, 100, ['first']))).toBe('Partly kept away')
    expect(words(health(0, 100, ['first', 'second']))).toBe('Kept away')
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
