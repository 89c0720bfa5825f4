import { expect, it } from 'vitest'
import type { HealthOutput } from '#sdk/generated/operations.ts'
import type { ProviderAccount } from '#sdk/generated/types.ts'
import { healthOfAccount, healthOfName, healthWords } from './health-words.ts'
import { stateOf } from './provider-kinds.ts'

const failing = {
  state: 'failing',
  calls: 100,
  failed: 21,
  failureRate: 0.21,
  why: '21 of 100 failed.',
} as const
const health = {
  accounts: [{ provider: 'main', ...failing }],
  names: [{ name: 'acme/fast', kind: 'model', ...failing }],
} as unknown as HealthOutput
const account = {
  credentialRefused: null,
  kind: 'openai',
  label: 'main',
  lastFour: 'abcd',
} as unknown as ProviderAccount

it('the health of an account and of a model is described in the same words, with the reason for the state', () => {
  expect(stateOf(account, healthOfAccount('main', health))).toEqual(healthOfName('acme/fast', health))
  expect(healthOfName('acme/fast', health)).toEqual({
    tone: 'negative',
    words: 'Failing',
    title: '21 of 100 failed.',
  })
})

it('unknown health is shown as Unknown, and a model without requests as No requests', () => {
  expect(healthOfName('acme/fast', undefined).words).toBe('Unknown')
  const quiet = { state: 'unknown', calls: 0, failed: 0, why: null } as const
  expect(healthWords(quiet)).toMatchObject({
    words: 'No requests',
    title: 'No requests finished in the last 24 hours.',
  })
  expect(healthWords({ ...quiet, state: 'healthy', calls: 9 })).toMatchObject({
    tone: 'positive',
    words: 'Healthy',
  })
})

it('an account is shown as connected if its health is unknown', () => {
  expect(stateOf(account, undefined).words).toBe('Connected')
  expect(stateOf({ ...account, lastFour: null }, undefined).words).toBe('Connected without a key')
})
