import { expect, it } from 'vitest'
import type { ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { addedToCounted, countingRuleOf } from './how-model-counts-text-tokens.ts'
import { providerAddedTokens } from './tokens-that-provider-adds.ts'

function planOf(kind: ProviderKind, model: string): Plan {
  // The tested functions read only these fields of a plan.
  return { account: { kind }, target: { model } } as unknown as Plan
}

it.each([
  ['openai', 'gpt-4o', 1, 'none', 'types'],
  ['openrouter', 'openai/gpt-5-mini', 1, 'none', 'types'],
  ['azure_openai', 'gpt-5.4-2026-03-05', 1, 'none', 'types'],
  // The tokenizers of newer OpenAI models are not known.
  ['openai', 'gpt-5.9', 1.5, 'scripts', 'body'],
  ['openai', 'gpt-6-sol', 1.5, 'scripts', 'body'],
  ['groq', 'openai/gpt-oss-120b', 1, 'none', 'types'],
  ['google', 'gemini-3-pro', 1.25, 'digits', 'types'],
  ['openrouter', 'google/gemini-3-pro', 1.25, 'digits', 'json'],
  ['anthropic', 'claude-sonnet-4-5', 2.4, 'scripts', 'json'],
  ['anthropic', 'claude-opus-4-7', 3, 'scripts', 'body'],
  ['mistral', 'mistral-small-latest', 1.4, 'scripts', 'json'],
  // At other servers, a model name proves nothing about the model.
  ['openai_compatible', 'gpt-4o', 1.5, 'scripts', 'body'],
  ['openai_compatible', 'claude-sonnet-4-5', 3, 'scripts', 'body'],
] as const)(
  'for an account of kind %s and the model %s, a token count is multiplied by %d, extra tokens are added for %s, and the counted text is %s',
  (kind, model, factor, surplus, reads) => {
    expect(countingRuleOf(planOf(kind, model))).toMatchObject({ factor, surplus, reads })
  },
)

it.each([
  ['openai', 'gpt-5-nano', 'current'],
  ['openai', 'openai.gpt-5.5', 'current'],
  ['openai', 'openai.gpt-5.6-luna', 'all'],
  ['openai', 'gpt-4.1', 'all'],
  ['google', 'gemini-3-pro-preview', 'current'],
  ['google', 'gemini-3.5-flash', 'all'],
  ['google', 'gemini-2.5-flash', 'current'],
  ['vertex', 'gemini-2.5-pro', 'current'],
  ['google', 'gemini-2.0-flash', 'all'],
  ['vertex', 'gemini-3-flash-preview', 'none'],
  ['vertex', 'gemini-3.1-pro-preview', 'current'],
  ['vertex', 'gemini-3.6-flash', 'all'],
  ['openrouter', 'google/gemini-3-pro', 'all'],
  ['anthropic', 'claude-sonnet-4-5', 'current'],
  ['bedrock', 'us.anthropic.claude-3-7-sonnet-20250219-v1:0', 'current'],
  ['anthropic', 'claude-opus-4-5', 'all'],
  ['openai_compatible', 'gpt-5', 'all'],
] as const)(
  'for an account of kind %s, the model %s counts encrypted thoughts of earlier turns as input: %s',
  (kind, model, thoughts) => {
    expect(countingRuleOf(planOf(kind, model)).thoughts).toBe(thoughts)
  },
)

it('the tokens added to a counted text depend on the model family and the format', () => {
  const plain = { hasTools: false, hasSchema: false, wire: 'responses' as const, turns: 3 }
  const tools = { ...plain, hasTools: true, keywordTokens: 40 }
  // The general allowance is 32 tokens for a request and 8 for a turn.
  const general = 32 + 8 * 3
  expect(addedToCounted(plain, planOf('openai', 'gpt-5'))).toBe(12 + 6 * 3 - general)
  // A recorded custom tool in chat completions adds 145 tokens to the text of the request.
  expect(addedToCounted(tools, planOf('openai', 'gpt-5'))).toBe(12 + 6 * 3 + 144 - general)
  expect(addedToCounted({ ...tools, wire: 'chat' }, planOf('openai', 'gpt-4o'))).toBe(
    8 + 5 * 3 + 24 - general,
  )
  expect(addedToCounted({ ...tools, wire: 'chat' }, planOf('openai', 'gpt-4.1'))).toBe(
    8 + 5 * 3 + 24 - general,
  )
  expect(addedToCounted(tools, planOf('anthropic', 'claude-haiku-4-5'))).toBe(640)
  // Models of no known family get the general allowance. The counted text contains no keywords, so nothing is
  // subtracted for them.
  const other = planOf('openai_compatible', 'm')
  expect(addedToCounted(tools, other)).toBe(providerAddedTokens({ ...tools, keywordTokens: 0 }, other))
})
