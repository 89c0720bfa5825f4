import { expect, test } from 'vitest'
import { outboundFault } from '#domain/network/outbound-address.ts'
import { kindFacts, providerKindNames } from './provider-kinds.ts'

const kinds = providerKindNames
const wiresOf = (kind: (typeof kinds)[number]) => kindFacts(kind).wires

test("each wire is supported by a vendor's kind of account and by the simulator", () => {
  const spoken = new Set(kinds.filter((kind) => kind !== 'simulator').flatMap(wiresOf))
  expect([...spoken].toSorted()).toEqual(['chat', 'generate', 'messages', 'responses'])
  expect([...wiresOf('simulator')].toSorted()).toEqual([...spoken].toSorted())
})

test('the default base URL of each vendor would also be accepted from a customer', () => {
  const urls = kinds.map((kind) => kindFacts(kind).baseUrl).filter((url) => url !== null)
  expect(urls).toHaveLength(kinds.filter((kind) => kindFacts(kind).place === 'vendor').length)
  for (const url of urls) {
    expect(outboundFault(url, { allowPrivate: false })).toBeNull()
    expect(url).not.toMatch(/[?#]|\/$/)
  }
})
