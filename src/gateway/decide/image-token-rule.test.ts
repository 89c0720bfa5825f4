import { expect, it } from 'vitest'
import type { Plan } from '#gateway/call/model-name-targets.ts'
import { imageCounterOf } from './image-token-rule.ts'

it.each([
  ['openai', 'gpt-4o', 'gpt4o'],
  ['openai', 'gpt-4o-2024-08-06', 'gpt4o'],
  ['openrouter', 'openai/gpt-4.1', 'gpt4o'],
  ['openai', 'gpt-4o-mini-2024-07-18', 'gpt4oMini'],
  ['openai', 'gpt-4.1-mini', 'openai'],
  ['openai', 'gpt-5-nano', 'openai'],
  ['openai', 'gpt-6', 'openai'],
  ['azure_openai', 'my-deployment', 'openai'],
  ['bedrock', 'us.anthropic.claude-sonnet-5-v1:0', 'anthropic'],
  ['openrouter', 'anthropic/claude-opus-5', 'anthropic'],
  ['anthropic', 'claude-haiku-5', 'anthropic'],
  ['google', 'gemini-3-pro', 'google'],
  ['openai_compatible', 'gemini-3-pro', 'any'],
  ['mistral', 'pixtral-large', 'any'],
])(
  'for an account of kind %s and the model %s, images are counted by the rule %s',
  (kind, model, counter) => {
    expect(imageCounterOf({ account: { kind }, target: { model } } as unknown as Plan)).toBe(counter)
  },
)
