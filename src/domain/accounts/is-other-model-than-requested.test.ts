import { describe, expect, test } from 'vitest'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { hasOwnModelNames, isAnotherModel } from './is-other-model-than-requested.ts'

describe('two names of the same model count as the same model', () => {
  test.each([
    ['gpt-4o', 'gpt-4o'],
    ['gpt-4o', 'gpt-4o-2024-08-06'],
    ['gpt-4', 'gpt-4-0613'],
    ['gpt-3.5-turbo', 'gpt-3.5-turbo-0125'],
    ['gpt-4-turbo', 'gpt-4-turbo-2024-04-09'],
    ['o3-mini', 'o3-mini-2025-01-31'],
    ['openai/gpt-4o-mini', 'gpt-4o-mini'],
    ['gpt-oss-120b', 'openai/gpt-oss-120b'],
    ['claude-3-5-sonnet-latest', 'claude-3-5-sonnet-20241022'],
    ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'],
    ['claude-sonnet-4-0', 'claude-sonnet-4-0'],
    ['anthropic/claude-3.5-sonnet', 'claude-3-5-sonnet-20241022'],
    ['anthropic/claude-sonnet-4.5', 'anthropic/claude-4.5-sonnet-20250929'],
    ['us.anthropic.claude-sonnet-4-20250514-v1:0', 'claude-sonnet-4-20250514'],
    ['claude-sonnet-4@20250514', 'claude-sonnet-4-20250514'],
    ['gemini-2.0-flash', 'gemini-2.0-flash-001'],
    ['models/gemini-2.5-pro', 'gemini-2.5-pro-preview-05-06'],
    ['publishers/google/models/gemini-2.5-flash', 'gemini-2.5-flash'],
    ['gemini-2.5-flash-preview-09-2025', 'gemini-2.5-flash'],
    ['gemini-flash-latest', 'gemini-2.5-flash-preview-09-2025'],
    ['mistral-large-latest', 'mistral-large-2411'],
    ['magistral-medium-latest', 'magistral-medium-2509'],
    ['command-r', 'command-r-08-2024'],
    ['grok-4', 'grok-4-0709'],
    ['deepseek/deepseek-r1:free', 'deepseek/deepseek-r1'],
    ['moonshotai/Kimi-K2-Instruct', 'moonshotai/kimi-k2-instruct-0905'],
    ['accounts/fireworks/models/llama-v3p3-70b-instruct', 'llama-v3p3-70b-instruct'],
    ['meta-llama/Llama-3.3-70B-Instruct', 'llama-3.3-70b-instruct'],
    ['anything', ''],
  ])('%s was requested, and the response names %s', (requested, answered) => {
    expect(isAnotherModel(requested, answered)).toBe(false)
  })
})

describe('names of two different models do not count as the same model', () => {
  test.each([
    ['gpt-4o', 'gpt-4o-mini-2024-07-18'],
    ['gpt-4o-mini', 'gpt-4o'],
    ['gpt-4', 'gpt-4-turbo-2024-04-09'],
    ['gpt-4.1', 'gpt-4.1-nano'],
    ['gpt-5', 'gpt-5-codex'],
    ['claude-sonnet-4', 'claude-sonnet-4-5-20250929'],
    ['claude-3-5-haiku-latest', 'claude-3-5-sonnet-20241022'],
    ['claude-opus-4-5', 'claude-sonnet-4-5'],
    ['gemini-2.0-flash-lite', 'gemini-3-ultra'],
    ['gemini-2.5-flash', 'gemini-2.5-pro'],
    ['gemini-flash-latest', 'gemini-2.5-pro'],
    ['gemini-flash-latest', 'gemini-2.5-flash-lite'],
    ['llama-3.1-8b', 'llama-3.1-70b'],
    ['mistral-large-latest', 'mistral-small-2503'],
    ['deepseek-v3', 'deepseek-v2'],
    ['openrouter/auto', 'anthropic/claude-sonnet-4.5'],
  ])('%s was requested, and the response names %s', (requested, answered) => {
    expect(isAnotherModel(requested, answered)).toBe(true)
  })
})

test('the model of an Azure deployment is not compared, because the customer chooses its name', () => {
  expect(
    hasOwnModelNames({ kind: 'openai_compatible', baseUrl: 'https://acme.openai.azure.com/openai/v1' }),
  ).toBe(true)
  expect(hasOwnModelNames({ kind: 'openai_compatible', baseUrl: 'https://acme.services.ai.azure.com' })).toBe(
    true,
  )
  expect(
    hasOwnModelNames({ kind: 'openai_compatible', baseUrl: 'https://proxy.example/openai/deployments/mine' }),
  ).toBe(true)
  expect(hasOwnModelNames({ kind: 'openai_compatible', baseUrl: 'https://api.openai.com/v1' })).toBe(false)
  expect(
    hasOwnModelNames({ kind: 'openai_compatible', baseUrl: 'https://openai.azure.com.evil.example/v1' }),
  ).toBe(false)
  expect(hasOwnModelNames({ kind: 'openai_compatible', baseUrl: null })).toBe(false)
  expect(hasOwnModelNames({ kind: 'azure_openai', baseUrl: 'https://models.example.com' })).toBe(true)
})

test('a model name of any length is compared in linear time', () => {
  for (const unit of [':', '@', '-001', '-a', '.'])
    expect(withinCpu(500, () => isAnotherModel('gpt-4o', `${unit.repeat(100_000)}\n`))).toBe(true)
})
