import { expect, test } from 'vitest'
import { kindFacts, providerKindNames } from '#domain/provider-kinds.ts'
import { requiredRates } from './provider-kinds.ts'

test('the price form requires the rates that the server would otherwise assume', () => {
  for (const kind of providerKindNames)
    expect([kind, requiredRates(kind)]).toEqual([kind, kindFacts(kind).reportedDimensions])
})
