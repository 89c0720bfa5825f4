import { expect, test } from 'vitest'
import { requiredRates } from './provider-kinds.ts'

test('the form for the price of an account requires the rates without which the server does not use the account', () => {
  const claude = ['input', 'cacheWrite', 'cacheWriteLong', 'output']
  expect(requiredRates('vertex', 'claude-sonnet-5')).toEqual(claude)
  expect(requiredRates('bedrock', 'eu.anthropic.claude-sonnet-5')).toEqual(claude)
  expect(requiredRates('openai_compatible', 'sonar-pro')).toEqual(['input', 'output', 'webSearch'])
  expect(requiredRates('cohere', 'rerank-v3.5')).toEqual(['input', 'searchUnit'])
  expect(requiredRates('openai', 'dall-e-3')).toEqual(['input', 'image'])
  expect(requiredRates('a_later_kind', 'model')).toEqual(['input', 'output'])
})
