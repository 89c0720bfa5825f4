import { expect, it } from 'vitest'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { imageCounterOf, pageImageTokensOf } from './how-model-counts-images-and-pdf-pages.ts'

it.each([
  ['openai', 'gpt-4o', 'gpt4o'],
  ['openai', 'gpt-4o-2024-08-06', 'gpt4o'],
  ['openrouter', 'openai/gpt-4.1', 'gpt4o'],
  ['openai', 'gpt-4o-mini-2024-07-18', 'gpt4oMini'],
  ['openai', 'gpt-4.1-mini', 'openaiMini'],
  ['openai', 'o4-mini', 'openaiMini'],
  ['openai', 'gpt-5-nano', 'openaiNano'],
  ['openrouter', 'openai/gpt-5-mini-2025-08-07', 'openaiMini'],
  ['openrouter', 'openai/gpt-6', 'openai'],
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
  ['google', 'gemini-3-pro', 'gemini3'],
  ['vertex', 'gemini-3.5-flash', 'gemini3'],
  ['openrouter', 'google/gemini-4-carbon', 'gemini3'],
  ['google', 'gemini-flash-latest', 'google'],
  ['google', 'gemini-embedding-2', 'google'],
  ['google', 'gemini-2.5-flash', 'gemini2'],
  ['openrouter', 'google/gemini-2.0-flash', 'gemini2'],
  ['groq', 'meta-llama/llama-4-scout-17b-16e-instruct', 'llama4'],
  ['openai_compatible', 'llama-4-scout', 'any'],
  ['openai_compatible', 'gemini-3-pro', 'any'],
  ['mistral', 'mistral-medium-latest', 'mistral'],
  ['mistral', 'pixtral-large', 'pixtral'],
  ['bedrock', 'us.mistral.pixtral-large-2502-v1:0', 'pixtral'],
  ['openrouter', 'mistralai/pixtral-12b', 'any'],
  ['xai', 'grok-4-1-fast-non-reasoning', 'grok'],
  ['azure_openai', 'grok-4', 'grok'],
  ['openai', 'grok-4', 'grok'],
  ['openrouter', 'x-ai/grok-4', 'grok'],
  ['openai_compatible', 'grok-4', 'any'],
  ['cohere', 'command-a-vision-07-2025', 'cohere'],
  ['cohere', 'c4ai-aya-vision-32b', 'any'],
  ['bedrock', 'us.amazon.nova-2-lite-v1:0', 'nova'],
  ['bedrock', 'amazon.nova-pro-v1:0', 'nova'],
  ['bedrock', 'amazon.nova-2-multimodal-embeddings-v1:0', 'any'],
])(
  'for an account of kind %s and the model %s, the tokens of images are counted by the rule %s',
  (kind, model, counter) => {
    expect(imageCounterOf(planOf(kind, model))).toBe(counter)
  },
)

it.each([
  // GPT-4o mini counted 77,200 tokens for a recorded PDF whose text has less than 2,600 tokens.
  ['openai', 'gpt-4o-mini', 48_399],
  ['openai', 'gpt-4o', 1_675],
  ['openai', 'gpt-5-mini', 2_642],
  ['openai', 'gpt-5-nano', 3_779],
  ['anthropic', 'claude-haiku-4-5', 1_760],
  ['anthropic', 'claude-opus-5', 4_800],
  // Grok and Mistral do not document how many tokens a page has.
  ['xai', 'grok-4', 4_800],
  ['mistral', 'mistral-medium-latest', 4_800],
])(
  'for an account of kind %s and the model %s, the image of a PDF page counts as %d tokens',
  (kind, model, tokens) => {
    expect(pageImageTokensOf(planOf(kind, model))).toBe(tokens)
  },
)

function planOf(kind: string, model: string): Plan {
  return { account: { kind }, target: { model } } as unknown as Plan
}
