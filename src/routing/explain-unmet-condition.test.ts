import { expect, it } from 'vitest'
import type { Condition, Feature, RoutedCall } from './route-tree-types.ts'
import { unmetCondition } from './explain-unmet-condition.ts'

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
])('a call of 500 tokens with tools meets the condition %j', (when) => {
  expect(unmetCondition(when, call)).toBeNull()
})

it.each<[Condition, string]>([
  [{ bundles: ['free', 'team'] }, 'it accepts the bundles free, team, and the end user has pro'],
  [{ bundles: [] }, 'it accepts the bundles (none), and the end user has pro'],
  [
    { features: ['tools', 'images', 'audio'] },
    'it accepts requests that need images, audio, and this request does not',
  ],
  [
    { inputTokensMin: 501 },
    'it accepts requests of at least 501 input tokens, and this request has about 500',
  ],
  [
    { inputTokensMax: 499 },
    'it accepts requests of at most 499 input tokens, and this request has about 500',
  ],
  [{ mode: 'test' }, 'it accepts only test mode, and the request is in live mode'],
])('a call of 500 tokens with tools does not meet the condition %j', (when, why) => {
  expect(unmetCondition(when, call)).toBe(why)
})
