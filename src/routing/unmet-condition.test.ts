import { expect, it } from 'vitest'
import type { Condition, Feature, RoutedCall } from './route.ts'
import { unmetCondition } from './unmet-condition.ts'

const call: RoutedCall = {
  bundle: 'pro',
  mode: 'live',
  features: new Set<Feature>(['tools', 'stream']),
  inputTokens: 500,
  endUserId: 'eu_ada',
  session: null,
}

it.each<[Condition]>([
  [{}],
  [{ bundles: ['free', 'pro'] }],
  [{ features: ['tools'] }],
  [{ features: ['stream', 'tools'] }],
  [{ features: [] }],
  [{ inputTokensMin: 500, inputTokensMax: 500 }],
  [{ mode: 'live' }],
])('a call of 500 tokens with tools meets %j', (when) => {
  expect(unmetCondition(when, call)).toBeNull()
})

it.each<[Condition, string]>([
  [{ bundles: ['free', 'team'] }, 'it takes the bundles free, team, and the call has pro'],
  [{ bundles: [] }, 'it takes the bundles (none), and the call has pro'],
  [
    { features: ['tools', 'images', 'audio'] },
    'it takes calls that need images, audio, and this one does not',
  ],
  [{ inputTokensMin: 501 }, 'it takes calls from 501 input tokens on, and this one has about 500'],
  [{ inputTokensMax: 499 }, 'it takes calls up to 499 input tokens, and this one has about 500'],
  [{ mode: 'test' }, 'it takes test mode only, and the call is live'],
])('a call of 500 tokens with tools does not meet %j', (when, why) => {
  expect(unmetCondition(when, call)).toBe(why)
})
