import { expect, test } from 'vitest'
import { outboundFault } from '#domain/network/check-outbound-address.ts'
import { kindFacts, modelFacts, providerKindNames } from './provider-kinds.ts'

const kinds = providerKindNames
const wiresOf = (kind: (typeof kinds)[number]) => kindFacts(kind).wires

test('each wire (API format) is supported by the simulator and by at least one other kind of account', () => {
  const spoken = new Set(kinds.filter((kind) => kind !== 'simulator').flatMap(wiresOf))
  expect([...spoken].toSorted()).toEqual([...wiresOf('simulator')].toSorted())
})

test('each vendor’s default base URL also passes the check for base URLs of customers', () => {
  const urls = kinds.map((kind) => kindFacts(kind).baseUrl).filter((url) => url !== null)
  expect(urls).toHaveLength(kinds.filter((kind) => kindFacts(kind).place === 'vendor').length)
  for (const url of urls) {
    expect(outboundFault(url, { allowPrivate: false })).toBeNull()
    expect(url).not.toMatch(/[?#]|\/$/)
  }
})

test("a model on Bedrock is called in its vendor's format if Bedrock offers that format, and otherwise in Converse", () => {
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
