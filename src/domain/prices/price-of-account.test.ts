import { expect, test } from 'vitest'
import { accountPrice, accountPricesChangeMs } from './price-of-account.ts'
import { publishedPrices } from './published-prices.ts'
import { simulatorPrice } from './simulator-price.ts'

const nowMs = Date.UTC(2026, 10, 20)
const anthropic = { kind: 'anthropic', baseUrl: 'https://api.anthropic.com' } as const
const own = { input: 1n, output: 2n }

test('the price that is set on an account takes precedence over the published price', () => {
  const published = publishedPrices.model('anthropic', 'claude-opus-5-5', nowMs)?.price
  expect(published?.output).toBe(20_000_000n)
  expect(accountPrice(anthropic, 'claude-opus-5-5', null, nowMs)).toEqual(published)
  expect(accountPrice(anthropic, 'claude-opus-5-5', own, nowMs)).toEqual(own)
  expect(accountPrice(anthropic, 'claude-opus-5-55', null, nowMs)).toBeNull()
  expect(accountPrice({ kind: 'simulator', baseUrl: null }, 'any', null, nowMs)).toEqual(simulatorPrice)
  expect(accountPrice({ kind: 'simulator', baseUrl: null }, 'any', own, nowMs)).toEqual(own)
})

test('an unknown address has no published prices', () => {
  for (const baseUrl of ['https://proxy.example/v1', 'https://eu.api.openai.com/v1'])
    expect(accountPrice({ kind: 'openai', baseUrl }, 'gpt-5-mini', null, nowMs)).toBeNull()
  const compatible = { kind: 'openai_compatible', baseUrl: 'https://api.groq.com/openai/v1' } as const
  expect(accountPrice(compatible, 'openai/gpt-oss-120b', null, nowMs)?.output).toBe(600_000n)
  expect(accountPrice(compatible, 'gpt-oss-120b', null, nowMs)).toBeNull()
})

test('models at the global endpoint of Vertex AI cost the same as at their vendors', () => {
  const vertex = { kind: 'vertex', baseUrl: 'https://aiplatform.googleapis.com' } as const
  const regional = { kind: 'vertex', baseUrl: 'https://us-east5-aiplatform.googleapis.com' } as const
  for (const [vendor, id, at] of [
    ['anthropic', 'claude-opus-5-5', 'claude-opus-5-5'],
    ['anthropic', 'claude-sonnet-4-5-20250929', 'claude-sonnet-4-5@20250929'],
    ['google', 'gemini-3.8-flash', 'gemini-3.8-flash'],
  ] as const) {
    const published = publishedPrices.model(vendor, id, nowMs)?.price
    expect(published).toBeDefined()
    expect(accountPrice(vertex, at, null, nowMs)).toEqual(published)
    expect(accountPrice(regional, at, null, nowMs)).toBeNull()
  }
})

test('the time of the next change of an account’s published prices is found', () => {
  const google = { kind: 'google', baseUrl: 'https://generativelanguage.googleapis.com' } as const
  const changeMs = accountPricesChangeMs(google, nowMs)
  expect(changeMs).toBe(Date.UTC(2027, 0, 1))
  const before = accountPrice(google, 'gemini-3.8-flash', null, Date.UTC(2027, 0, 1) - 1)
  const after = accountPrice(google, 'gemini-3.8-flash', null, Date.UTC(2027, 0, 1))
  expect([before?.output, after?.output]).toEqual([3_750_000n, 7_500_000n])
  expect(accountPricesChangeMs({ kind: 'simulator', baseUrl: null }, nowMs)).toBeNull()
})
