import { expect, test } from 'vitest'
import { aQuote } from '#tests/fixtures/build-money-values.ts'
import type { Quote } from '#money/decision-types.ts'
import type { Price } from '#money/price.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { cacheFault } from './use-of-cached-contents.ts'
import type { Plan } from './targets-of-model-name.ts'

const text: Price = { input: 1_000_000n, output: 2_000_000n }
const storage: Price = { ...text, cacheStorage: 1_000_000n }

function faultAt(quote: Partial<Quote>): string | undefined {
  // `cacheFault` reads only these fields.
  const request = { caching: { id: null, lifetime: { ttlMs: 1 } } } as unknown as WireRequest
  const plan = { cacheOrigin: 'o', quote: aQuote(quote) } as unknown as Plan
  return cacheFault(request, plan)?.message
}

test.each<Partial<Quote>>([
  { cost: text, sell: text },
  { cost: storage, sell: text, basis: 'sell_price' },
  { cost: text, sell: storage, basis: 'sell_price' },
  { cost: storage, sell: storage, credits: text },
])('content is not stored at a provider if a price has no rate for the storage: %o', (quote) => {
  expect(faultAt(quote)).toMatch(/cacheStorage in each price/)
})

test.each<Partial<Quote>>([
  { cost: storage, sell: text },
  { cost: storage, sell: storage, basis: 'sell_price' },
  { cost: storage, sell: storage, credits: storage },
])('content is stored at a provider if each price has a rate for the storage: %o', (quote) => {
  expect(faultAt(quote)).toBeUndefined()
})
