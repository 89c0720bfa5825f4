import { expect, it } from 'vitest'
import type { ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { Plan } from '#gateway/call/model-name-targets.ts'
import { providerAddedTokens } from './provider-added-tokens.ts'

const plain = { hasTools: false, hasSchema: false }

function wrapped(kind: ProviderKind, model: string, has = {}): number {
  // `providerAddedTokens` reads only these fields of a plan.
  return providerAddedTokens({ ...plain, ...has }, {
    account: { kind },
    target: { model },
  } as unknown as Plan)
}

it('most models add no tokens before a plain request', () => {
  for (const model of ['gpt-6-sol', 'deepseek-chat', 'mistral-large', 'grok-3-mini'])
    expect(wrapped('openai_compatible', model)).toBe(0)
  expect(wrapped('anthropic', 'claude-opus-5') + wrapped('google', 'gemini-3-pro')).toBe(0)
})

it.each([
  // Recorded calls show 197 tokens, and the documentation states 680.
  ['grok-4.3', 197],
  ['x-ai/grok-4', 680],
  // Recorded calls of 16 to 30 characters count 87 to 91 tokens.
  ['deepseek-v4-flash', 84],
  ['openai/gpt-oss-120b', 72],
  ['meta-llama/Llama-3.3-70B', 36],
  ['Qwen/Qwen2.5-7B', 21],
])(
  'for %s, the added tokens cover the recorded count of a request with only the text hello',
  (model, tokens) => {
    expect(wrapped('openai_compatible', model) + 32).toBeGreaterThanOrEqual(tokens)
  },
)

it('the added tokens include the instructions that a provider adds for tools and for a schema', () => {
  const tools = { hasTools: true }
  // A recorded call had 274 tokens more than its body had bytes.
  expect(wrapped('anthropic', 'm', tools)).toBe(1024)
  expect(wrapped('openai_compatible', 'anthropic/claude-opus-5', tools)).toBe(1024)
  expect(wrapped('openai', 'gpt-6-sol', tools)).toBe(512)
  expect(wrapped('google', 'gemini-3-pro', tools)).toBe(192)
  expect(wrapped('anthropic', 'm', { hasSchema: true })).toBe(512)
  expect(wrapped('openai', 'm', { hasSchema: true })).toBe(128)
  expect(wrapped('openai', 'm', { hasTools: true, hasSchema: true })).toBe(640)
})
