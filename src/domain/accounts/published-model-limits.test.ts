import { describe, expect, it } from 'vitest'
import { modelLimits } from './published-model-limits.ts'
import type { ProviderKind } from './provider-kinds.ts'

const atMs = Date.parse('2026-11-22')

function limits(kind: ProviderKind, model: string, baseUrl: string | null = null) {
  return modelLimits({ kind, baseUrl }, model, atMs)
}

describe('the published limits of models', () => {
  it.each<readonly [ProviderKind, string, number | null]>([
    ['anthropic', 'claude-3-haiku-20240307', 4_096],
    ['anthropic', 'claude-3-opus-latest', 4_096],
    ['anthropic', 'claude-3-5-sonnet-20241022', 8_192],
    ['anthropic', 'claude-3-5-haiku-latest', 8_192],
    ['anthropic', 'claude-3-7-sonnet-20250219', 64_000],
    ['anthropic', 'claude-opus-4-20250514', 32_000],
    ['anthropic', 'claude-opus-4-1-20250805', 32_000],
    ['anthropic', 'claude-sonnet-4-5', 64_000],
    ['openai', 'gpt-3.5-turbo-0125', 4_096],
    ['openai', 'gpt-4-0613', 8_192],
    ['openai', 'gpt-4-turbo-2024-04-09', 4_096],
    ['openai', 'gpt-4o', 16_384],
    ['openai', 'gpt-4o-2024-05-13', 4_096],
    ['openai', 'gpt-4.1-nano', 32_768],
    ['google', 'gemini-2.0-flash-001', 8_192],
    ['google', 'gemini-2.5-flash', 65_536],
    ['vertex', 'gemini-2.5-flash', 65_536],
    ['vertex', 'claude-3-5-sonnet@20241022', 8_192],
    // Limits are known only for model families that the table lists. A name that only begins like the name of a listed
    // family may belong to a different model.
    ['anthropic', 'claude-3-haiku-next', null],
    ['anthropic', 'claude-opus-9', null],
    ['openai', 'gpt-4o-audio-preview', null],
    ['openai', 'claude-3-haiku-20240307', null],
    ['openai_compatible', 'claude-3-haiku-20240307', null],
    ['simulator', 'gpt-4', null],
  ])('at the provider %s, the model %s has an output limit of %s tokens', (kind, model, outputTokens) => {
    expect(limits(kind, model).outputTokens).toBe(outputTokens)
  })

  it('for an account whose kind is a vendor, such as anthropic, the context size of published models is known at any address', () => {
    expect(limits('anthropic', 'claude-sonnet-4-5', 'http://127.0.0.1:1').contextTokens).toBeGreaterThan(
      199_999,
    )
    expect(limits('anthropic', 'no-such-model')).toEqual({ contextTokens: null, outputTokens: null })
  })

  it('the limits of models on an OpenAI-compatible server are known if limits are published for the server’s address', () => {
    const groq = 'https://api.groq.com/openai/v1'
    expect(limits('openai_compatible', 'deepseek-r1-distill-llama-70b', groq).contextTokens).toBeGreaterThan(
      0,
    )
    expect(
      limits('openai_compatible', 'deepseek-r1-distill-llama-70b', 'http://10.0.0.1/v1').contextTokens,
    ).toBeNull()
    expect(limits('openai_compatible', 'gpt-4', 'https://api.openai.com/v1').outputTokens).toBe(8_192)
  })
})
