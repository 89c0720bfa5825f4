import { expect, test } from 'vitest'
import { kindFacts, providerKindNames } from '#domain/provider-kinds.ts'
import { clientLeftWords, onClientLeftOf } from './client-left.ts'

test('the default in the form is the default of the server', () => {
  for (const kind of providerKindNames)
    expect([kind, clientLeftWords(null, kind)]).toEqual([
      kind,
      clientLeftWords(kindFacts(kind).onClientLeft, kind),
    ])
})

test('a setting is shown, or the default if it is null', () => {
  expect(clientLeftWords(null, 'anthropic')).toBe('Stop the stream')
  expect(clientLeftWords('drain', 'anthropic')).toBe('Read on for the usage')
  expect(clientLeftWords(null, 'google')).toBe('Read on for the usage')
  expect(['', 'cut', 'drain'].map(onClientLeftOf)).toEqual([null, 'cut', 'drain'])
})
