/** Tests web searches that a provider reports although the account's price has no rate for them. */
import { expect, test } from 'vitest'
import {
  connectAccount,
  eventually,
  makeApplication,
  startServer,
  upstreamKey,
} from '../support/start-product.ts'

test('searches without a rate cost 0, are marked as disputed with the reason, and the doctor reports them', async () => {
  const server = await startServer()
  const acme = await makeApplication(server)
  const { provider } = acme
  const rates = { input: '1000000', output: '2000000', cacheWrite: '1250000', cacheWriteLong: '2000000' }
  await connectAccount(acme, 'claude', {
    kind: 'anthropic',
    baseUrl: provider.baseUrl,
    apiKey: upstreamKey,
    model: 'claude-opus-4-8',
    price: rates,
  })
  const user = await acme.newUser({ balanceMicros: 1_000_000n })
  const explained = async (searches: number) => {
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-4-8',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
      usage: {
        input_tokens: 10,
        output_tokens: 5,
        ...(searches > 0 && { server_tool_use: { web_search_requests: searches } }),
      },
    }
    provider.script({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
    })
    const answer = await acme.call(user, { model: 'acme/claude', max_tokens: 100 })
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
    return eventually(() => acme.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`))
  }
  const findings = async () =>
    (await acme.api('GET', '/v1/diagnose')).findings.filter(
      ({ code }: { code: string }) => code === 'tool_use_unpriced',
    )

  const plain = await explained(0)
  expect(plain.settle).toMatchObject({ costMicros: '20', isDisputed: null, disputedBecause: [] })
  expect(await findings()).toEqual([])

  // The charge is the same as for a call without searches.
  const searched = await explained(3)
  expect(searched.settle).toMatchObject({
    costMicros: '20',
    chargeMicros: '20',
    isDisputed: true,
    disputedBecause: ['unpriced_web_search'],
  })
  await explained(2)
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
  const priced = await explained(3)
  expect(priced.settle).toMatchObject({ costMicros: '30020', isDisputed: null, disputedBecause: [] })
  const listed = (await acme.api('GET', '/v1/requests')).data
  expect(listed.map(({ disputed }: { disputed: boolean | null }) => disputed)).toEqual([
    null,
    true,
    true,
    null,
  ])
  await provider.close()
  await server.close()
})
