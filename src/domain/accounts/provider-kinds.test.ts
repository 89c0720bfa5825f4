import { expect, test } from 'vitest'
import { outboundFault } from '#domain/network/outbound-address.ts'
import { kindFacts, modelFacts, providerKindNames } from './provider-kinds.ts'

const kinds = providerKindNames
const wiresOf = (kind: (typeof kinds)[number]) => kindFacts(kind).wires

test("each wire is supported by a vendor's kind of account and by the simulator", () => {
  const spoken = new Set(kinds.filter((kind) => kind !== 'simulator').flatMap(wiresOf))
  expect([...spoken].toSorted()).toEqual([...wiresOf('simulator')].toSorted())
})

test('the default base URL of each vendor would also be accepted from a customer', () => {
  const urls = kinds.map((kind) => kindFacts(kind).baseUrl).filter((url) => url !== null)
  expect(urls).toHaveLength(kinds.filter((kind) => kindFacts(kind).place === 'vendor').length)
  for (const url of urls) {
    expect(outboundFault(url, { allowPrivate: false })).toBeNull()
    expect(url).not.toMatch(/[?#]|\/$/)
  }
})

test('each model of Bedrock has the format of its vendor, and Converse', () => {
  const wireOf = (model: string) => modelFacts('bedrock', model).wires[0]
  expect(wireOf('us.anthropic.claude-sonnet-4-5-20250929-v1:0')).toBe('messages')
  for (const model of ['openai.gpt-oss-20b-1:0', 'us.openai.gpt-oss-120b-1:0'])
    expect(wireOf(model)).toBe('chat')
  for (const model of [
    'amazon.nova-lite-v1:0',
    'eu.meta.llama3-2-1b-instruct-v1:0',
    'deepseek.v3-v1:0',
    'qwen.qwen3-32b-v1:0',
  ])
    expect(wireOf(model)).toBe('converse')
  for (const model of ['anthropic.claude-opus-4-5', 'openai.gpt-oss-20b-1:0'])
    expect(modelFacts('bedrock', model).wires[1]).toBe('converse')
  expect(modelFacts('vertex', 'claude-opus-4-5').wires).toEqual(['messages'])
})
