/** Tests service tiers and regions that cost more, that no client requested, and for which the price has no factor. */
import { expect, test } from 'vitest'
import { startClaudeWithoutExtraRates } from '../support/claude-without-extra-rates.ts'

test('a region or tier without a factor is marked as disputed with the reason, and the doctor reports it', async () => {
  const { acme, close, explained, findings: findingsOf, rates } = await startClaudeWithoutExtraRates()
  const findings = () => findingsOf('service_tier_unpriced')
  const undisputed = { costMicros: '20', isDisputed: null, disputedBecause: [] }

  for (const region of ['global', 'not_available', '', null]) {
    const { settle } = await explained({ service_tier: 'standard', inference_geo: region })
    expect(settle, String(region)).toMatchObject(undisputed)
  }
  // Tiers that cost at most the listed price are not disputed.
  expect((await explained({ service_tier: 'batch' })).settle).toMatchObject(undisputed)
  expect(await findings()).toEqual([])

  const regional = await explained({ service_tier: 'standard', inference_geo: 'us' })
  expect(regional.settle).toMatchObject({
    costMicros: '20',
    chargeMicros: '20',
    isDisputed: true,
    disputedBecause: ['unpriced_service_tier'],
  })
  expect(regional.usage).toMatchObject({ serviceTier: 'us' })
  const [finding] = await findings()
  expect(finding).toMatchObject({
    severity: 'error',
    resource: { type: 'provider', id: 'claude' },
    fix: {
      call: {
        operation: 'providers.price',
        body: { model: 'claude-opus-4-8', price: { ...rates, serviceTiers: { us: '2000' } } },
      },
    },
  })
  expect(finding.message).toContain('claude served 1 request of claude-opus-4-8 in the service tier us')

  const { method, path, body } = finding.fix.call
  await acme.api(method, path, { ...body, price: { ...body.price, serviceTiers: { us: '1100' } } })
  expect(await findings()).toEqual([])
  const priced = await explained({ service_tier: 'standard', inference_geo: 'us' })
  expect(priced.settle).toMatchObject({ costMicros: '22', isDisputed: null, disputedBecause: [] })

  const premium = await explained({ service_tier: 'priority', inference_geo: 'us' })
  expect(premium.settle.disputedBecause).toEqual(['unpriced_service_tier'])
  expect(premium.usage.serviceTier).toBe('priority')
  await close()
})
