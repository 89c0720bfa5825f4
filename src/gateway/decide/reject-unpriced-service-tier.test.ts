import { expect, it } from 'vitest'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { unpricedTierFault } from './reject-unpriced-service-tier.ts'

// `unpricedTierFault` reads only the tier and the price.
const request = (serviceTier: string | null) => ({ serviceTier }) as WireRequest
const plan = (serviceTiers?: Record<string, bigint>) =>
  ({ quote: { cost: { input: 1n, output: 1n, ...(serviceTiers && { serviceTiers }) } } }) as unknown as Plan

it.each([null, 'auto', 'default', 'standard', 'standard_only', 'on_demand', 'flex', 'Auto'])(
  'the service tier %s costs the listed price',
  (tier) => {
    expect(unpricedTierFault(request(tier), plan())).toBeNull()
  },
)

it.each(['priority', 'fast', 'scale', '__proto__', 'toString'])(
  'the service tier %s is rejected unless the price lists the tier',
  (tier) => {
    expect(unpricedTierFault(request(tier), plan())).toMatchObject({
      code: 'unsupported_for_route',
      param: 'service_tier',
    })
    expect(unpricedTierFault(request(tier), plan({ flex: 500n }))).not.toBeNull()
  },
)

it('a service tier that the price lists costs the multiple that the price states', () => {
  expect(unpricedTierFault(request('priority'), plan({ priority: 2000n }))).toBeNull()
})
