/** Tests web searches that a provider reports although the account's price has no rate for them. */
import { expect, test } from 'vitest'
import { startClaudeWithoutExtraRates } from '../support/claude-without-extra-rates.ts'

test('searches without a rate cost 0, are marked as disputed with the reason, and the doctor reports them', async () => {
  const { acme, close, explained, findings: findingsOf, rates } = await startClaudeWithoutExtraRates()
  const findings = () => findingsOf('tool_use_unpriced')
  const searching = (searches: number) =>
    explained({ ...(searches > 0 && { server_tool_use: { web_search_requests: searches } }) })

  const plain = await searching(0)
  expect(plain.settle).toMatchObject({ costMicros: '20', isDisputed: null, disputedBecause: [] })
  expect(await findings()).toEqual([])

  // The charge is the same as for a call without searches.
  const searched = await searching(3)
  expect(searched.settle).toMatchObject({
    costMicros: '20',
    chargeMicros: '20',
    isDisputed: true,
    disputedBecause: ['unpriced_web_search'],
  })
  await searching(2)
  const [finding] = await findings()
  expect(finding).toMatchObject({
    severity: 'error',
    resource: { type: 'provider', id: 'claude' },
    fix: { call: { operation: 'providers.price', body: { model: 'claude-opus-4-8', price: rates } } },
  })
  expect(finding.message).toContain('claude reported 5 web searches of claude-opus-4-8 in 2 requests')
  expect(finding.fix.say).toContain('the rate for web searches')

  const { method, path, body } = finding.fix.call
  await acme.api(method, path, { ...body, price: { ...body.price, webSearch: '10000' } })
  expect(await findings()).toEqual([])
  const priced = await searching(3)
  expect(priced.settle).toMatchObject({ costMicros: '30020', isDisputed: null, disputedBecause: [] })
  const listed = (await acme.api('GET', '/v1/requests')).data
  expect(listed.map(({ disputed }: { disputed: boolean | null }) => disputed)).toEqual([
    null,
    true,
    true,
    null,
  ])
  await close()
})
