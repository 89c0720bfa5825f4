import { describe, expect, it } from 'vitest'
import { isAllowed } from '#money/model-name-pattern.ts'
import type { Price } from '#money/price.ts'
import { randomFrom } from '#tests/support/seeded-random.ts'
import { Sales, type SellableName } from './names-sold-in-bundles.ts'

const price: Price = { input: 1n, output: 1n }

/** @param asked gets the name of each look-up */
function named(name: string, servesAtCost: boolean, asked: (name: string) => void = () => {}): SellableName {
  return {
    name,
    isServed(own) {
      asked(name)
      return own === null ? servesAtCost : !name.endsWith('0')
    },
  }
}

describe('the names that bundles sell', () => {
  it('are the names that a bundle allows and serves, as a test of each pair finds', () => {
    const random = randomFrom(20261130)
    const texts = Array.from({ length: 12 }, (_, i) => `${i % 2 === 0 ? 'acme' : 'route'}/m-${i}`)
    const patterns = [...texts, '*', 'acme/*', 'route/m-*', 'acme/m-1*', 'none/*', 'none']
    const some = (most: number): string[] =>
      Array.from({ length: random.whole(0, most) }, () => random.pick(patterns))
    for (let round = 0; round < 300; round++) {
      const names = texts.slice(0, random.whole(0, 12)).map((name) => named(name, random.whole(0, 2) > 0))
      const bundles = Array.from({ length: random.whole(0, 6) }, () => ({
        allow: some(4),
        deny: some(2),
        own: new Map(some(3).map((name) => [name, random.whole(0, 1) === 0 ? price : null])),
      }))
      const serves = bundles.map(({ allow, deny, own }) =>
        names.filter((one) => isAllowed(one.name, allow, deny) && one.isServed(own.get(one.name) ?? null)),
      )
      const sales = new Sales(names)
      expect(bundles.map((bundle) => sales.sells(bundle, bundle.own))).toEqual(
        serves.map((all) => all.length > 0),
      )
      expect([...sales.sold].toSorted()).toEqual(
        [...new Set(serves.flat().map(({ name }) => name))].toSorted(),
      )
    }
  })

  it('need one look-up for each name and each bundle, and not for each pair', () => {
    let lookUps = 0
    const names = Array.from({ length: 400 }, (_, i) => named(`acme/m-${i}`, true, () => lookUps++))
    const sales = new Sales(names)
    for (let i = 0; i < 500; i++) expect(sales.sells({ allow: ['acme/*'], deny: [] }, new Map())).toBe(true)
    expect(sales.sold.size).toBe(400)
    expect(lookUps).toBeLessThanOrEqual(400 + 500)
  })
})
