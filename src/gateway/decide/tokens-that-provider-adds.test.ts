import { expect, it } from 'vitest'
import type { ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { providerAddedTokens } from './tokens-that-provider-adds.ts'

const plain = { hasTools: false, hasSchema: false, wire: 'responses' as const }

function wrapped(kind: ProviderKind, model: string, has = {}): number {
  // `providerAddedTokens` reads only these fields of a plan.
  return providerAddedTokens({ ...plain, ...has }, {
    account: { kind },
    target: { model },
  } as unknown as Plan)
}

it('most models add no tokens to a plain request', () => {
  for (const model of ['gpt-6-sol', 'deepseek-chat', 'mistral-large', 'grok-3-mini'])
    expect(wrapped('openai_compatible', model)).toBe(0)
  expect(wrapped('anthropic', 'claude-opus-5') + wrapped('google', 'gemini-3-pro')).toBe(0)
})

it.each([
  // Recorded calls show 197 tokens for Grok 4.3. The documentation states 680 for Grok 4.
  ['grok-4.3', 197],
  ['x-ai/grok-4', 680],
  // The text of each recorded call has 16 to 30 characters, and counts as 87 to 91 tokens.
  ['deepseek-v4-flash', 84],
  // The published prompt has 123 tokens, and "hello" counts as at most 12.
  ['magistral-medium-2509', 135],
  ['mistralai/magistral-small', 135],
  ['openai/gpt-oss-120b', 72],
  ['meta-llama/Llama-3.3-70B', 36],
  ['Qwen/Qwen2.5-7B', 21],
  // Two recorded calls with about 70 characters count 586 and 612 tokens.
  ['meta-llama/llama-3.2-3b-instruct:free', 565],
])(
  'for %s, the added tokens cover the recorded count of a request that contains only the text hello',
  (model, tokens) => {
    expect(wrapped('openai_compatible', model) + 32).toBeGreaterThanOrEqual(tokens)
  },
)

it('the added tokens include the instructions that a provider adds for tools and for a schema', () => {
  const tools = { hasTools: true }
  // A recorded call had 274 tokens more than the body has bytes.
  expect(wrapped('anthropic', 'm', tools)).toBe(1024)
  expect(wrapped('openai_compatible', 'anthropic/claude-opus-5', tools)).toBe(1024)
  expect(wrapped('openai', 'gpt-6-sol', tools)).toBe(512)
  expect(wrapped('google', 'gemma-3', tools)).toBe(192)
  // Nova 2 adds about 700 tokens. Two recorded calls of other models had at most 188 input tokens each.
  expect(wrapped('bedrock', 'us.amazon.nova-2-lite-v1:0', tools)).toBe(1024)
  expect(wrapped('bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', tools)).toBe(1024)
  expect(wrapped('bedrock', 'moonshot.kimi-k2-thinking', tools)).toBe(512)
  expect(wrapped('anthropic', 'm', { hasSchema: true })).toBe(512)
  expect(wrapped('openai', 'm', { hasSchema: true })).toBe(128)
  expect(wrapped('openai', 'm', { hasTools: true, hasSchema: true })).toBe(640)
})

it('if many recorded calls show the tokens that a model adds, the allowance for the model is smaller', () => {
  const tools = { hasTools: true, keywordTokens: 40 }
  // A recorded request with one small tool had 149 tokens more than its text.
  expect(wrapped('openai', 'gpt-4o', tools)).toBe(224 - 40)
  expect(wrapped('openai', 'gpt-4o', { ...tools, wire: 'chat' })).toBe(64 - 40)
  expect(wrapped('openrouter', 'openai/gpt-5-mini', { ...tools, wire: 'chat' })).toBe(64 - 40)
  expect(wrapped('openai', 'gpt-4o-mini', tools)).toBe(64 - 40)
  expect(wrapped('openai', 'gpt-5.4', tools)).toBe(64 - 40)
  expect(wrapped('google', 'gemini-3-pro', tools)).toBe(16 - 40)
  // Cohere bills no template, even for a model in the table of beginnings.
  expect(wrapped('cohere', 'command-a-03-2025', tools)).toBe(64)
  expect(wrapped('openai_compatible', 'command-a-03-2025', tools)).toBe(96 + 512)
  expect(wrapped('mistral', 'mistral-small-latest', tools)).toBe(64)
  expect(wrapped('xai', 'grok-4', tools)).toBe(768 + 256)
  // At other servers, a model name proves nothing about the model.
  expect(wrapped('openai_compatible', 'gpt-4o', tools)).toBe(512)
  expect(wrapped('openai', 'gpt-6-sol', tools)).toBe(512)
})

it('models that add fewer tokens have a smaller allowance for a request and its turns', () => {
  // The general allowance is 32 tokens for a request and 8 for a turn.
  expect(wrapped('openai', 'gpt-4.1', { turns: 3 })).toBe(12 + 3 * 6 - (32 + 3 * 8))
  expect(wrapped('openai', 'gpt-4o', { turns: 3, wire: 'chat' })).toBe(12 + 3 * 6 - (32 + 3 * 8))
  // In a recorded response, the text "1+1?" counts as 29 tokens.
  expect(wrapped('openai', 'gpt-4o', { turns: 1 })).toBe(32 + 6 - (32 + 8))
  expect(wrapped('google', 'gemini-3-pro', { turns: 3 })).toBe(8 + 3 * 4 - (32 + 3 * 8))
  expect(wrapped('anthropic', 'claude-opus-5', { turns: 3 })).toBe(0)
})

it('for models that do not read thought signatures, the tokens of the signatures are subtracted', () => {
  const tokensAt = (kind: ProviderKind, model: string): number =>
    wrapped(kind, model, { signatureTokens: 500 }) - wrapped(kind, model)
  for (const [kind, model] of [
    ['vertex', 'gemini-3-flash-preview'],
    ['vertex', 'gemini-3-pro-preview'],
  ] as const)
    expect(tokensAt(kind, model)).toBe(-500)
  for (const [kind, model] of [
    ['google', 'gemini-2.5-flash'],
    ['vertex', 'gemini-2.5-pro'],
    ['google', 'gemini-3-flash-preview'],
    ['vertex', 'gemini-3.5-flash'],
    ['openrouter', 'google/gemini-2.5-flash'],
    ['openai_compatible', 'gemini-2.5-flash'],
  ] as const)
    expect(tokensAt(kind, model)).toBe(0)
})
