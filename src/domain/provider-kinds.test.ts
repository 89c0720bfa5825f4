import { expect, test } from 'vitest'
import { outboundFault } from './outbound-address.ts'
import { defaultBaseUrlOf, wiresOf } from './provider-kinds.ts'

const kinds = ['openai', 'anthropic', 'google', 'openai_compatible', 'simulator'] as const

test('each wire is spoken by some vendor, and by the simulator', () => {
  const spoken = new Set(kinds.filter((kind) => kind !== 'simulator').flatMap(wiresOf))
  expect([...spoken].toSorted()).toEqual(['chat', 'generate', 'messages', 'responses'])
  expect([...wiresOf('simulator')].toSorted()).toEqual([...spoken].toSorted())
})

test('a base URL that stands for none is one that a customer could have given', () => {
  const urls = kinds.map(defaultBaseUrlOf).filter((url) => url !== null)
  expect(urls).toHaveLength(3)
  for (const url of urls) {
    expect(outboundFault(url, { allowPrivate: false })).toBeNull()
    expect(url).not.toMatch(/[?#]|\/$/)
  }
})
