import { expect, it } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import type { FormatName } from '#wire/names-of-wires-and-tasks.ts'
import { withRequestedTier } from './tier-if-not-reported.ts'

const price = { serviceTiers: { priority: 2000n, flex: 500n } }
const quote = { cost: price, sell: price }

type Reserved = Parameters<typeof withRequestedTier>[2]

// `withRequestedTier` reads only the service tiers of the price, and the fields that the conversion has lost.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
const reserved = (...lost: string[]): Reserved =>
  ({ dispatch: { lost }, plan: { quote } }) as unknown as Reserved

function tierOf(reported: string | null, serviceTier: string | null, ...lost: string[]): string | null {
  return tierIn('chat', reported, serviceTier, ...lost)
}

function tierIn(
  wire: FormatName,
  reported: string | null,
  serviceTier: string | null,
  ...lost: string[]
): string | null {
  const usage = { ...zeroUsage, serviceTier: reported }
  return withRequestedTier(usage, { serviceTier, wire }, reserved(...lost)).serviceTier
}

it('the requested tier applies only if the provider reports no tier', () => {
  expect(tierOf(null, 'priority')).toBe('priority')
  expect(tierOf('default', 'priority')).toBe('default')
  expect(tierOf('priority', null)).toBe('priority')
})

it('a request without a particular tier gets no tier', () => {
  expect(tierOf(null, null)).toBeNull()
  expect(tierOf(null, 'auto')).toBeNull()
})

it('a tier that the provider did not get does not apply', () => {
  expect(tierOf(null, 'priority', 'metadata')).toBe('priority')
  expect(tierOf(null, 'priority', 'metadata', 'service_tier')).toBeNull()
  expect(tierIn('generate', null, 'priority', 'serviceTier')).toBeNull()
})

it('an unknown field with the name that another wire gives the tier does not make the request cheaper', () => {
  expect(tierOf(null, 'priority', 'serviceTier')).toBe('priority')
  expect(tierIn('messages', null, 'priority', 'serviceTier')).toBe('priority')
})

it('a requested tier that costs less applies only if the provider reports it', () => {
  expect(tierOf(null, 'flex')).toBeNull()
  expect(tierOf('flex', 'flex')).toBe('flex')
})
