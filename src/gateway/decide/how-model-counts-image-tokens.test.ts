import { expect, it } from 'vitest'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { imageCounterOf } from './how-model-counts-image-tokens.ts'

it.each([
  ['openai', 'gpt-4o', 'gpt4o'],
  ['openai', 'gpt-4o-2024-08-06', 'gpt4o'],
  ['openrouter', 'openai/gpt-4.1', 'gpt4o'],
  ['openai', 'gpt-4o-mini-2024-07-18', 'gpt4oMini'],
  ['openai', 'gpt-4.1-mini', 'openaiSmall'],
  ['openai', 'gpt-5-nano', 'openaiSmall'],
  ['openrouter', 'openai/gpt-5-mini-2025-08-07', 'openaiSmall'],
  ['openai', 'gpt-5.4-mini', 'openai'],
  ['openai', 'gpt-6', 'openai'],
  ['azure_openai', 'my-deployment', 'openai'],
  ['bedrock', 'us.anthropic.claude-sonnet-5-v1:0', 'anthropic'],
  ['openrouter', 'anthropic/claude-opus-5', 'anthropic'],
  ['anthropic', 'claude-haiku-5', 'anthropic'],
  ['anthropic', 'claude-haiku-4-5', 'claude4'],
  ['openrouter', 'anthropic/claude-sonnet-4.6', 'claude4'],
  ['bedrock', 'us.anthropic.claude-sonnet-4-20250514-v1:0', 'claude4'],
  ['anthropic', 'claude-opus-4-7', 'anthropic'],
  ['openrouter', 'anthropic/claude-opus-4.8', 'anthropic'],
  ['google', 'gemini-3-pro', 'google'],
  ['vertex', 'gemini-3-pro', 'google'],
  ['google', 'gemini-2.5-flash', 'gemini2'],
  ['openrouter', 'google/gemini-2.0-flash', 'gemini2'],
  ['groq', 'meta-llama/llama-4-scout-17b-16e-instruct', 'llama4'],
  ['openai_compatible', 'llama-4-scout', 'any'],
  ['openai_compatible', 'gemini-3-pro', 'any'],
  ['mistral', 'pixtral-large', 'mistral'],
])(
  'for an account of kind %s and the model %s, the tokens of images are counted by the rule %s',
  (kind, model, counter) => {
    expect(imageCounterOf({ account: { kind }, target: { model } } as unknown as Plan)).toBe(counter)
  },
)
