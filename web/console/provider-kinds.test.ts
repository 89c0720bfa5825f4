import { expect, test } from 'vitest'
import { kindFacts, providerKindNames } from '#domain/provider-kinds.ts'
import { requiredRates } from './provider-kinds.ts'

test('the form of a price asks for the rates without which the server assumes them', () => {
  for (const kind of providerKindNames)
    expect([kind, requiredRates(kind)]).toEqual([kind, kindFacts(kind).reportedDimensions])
})
