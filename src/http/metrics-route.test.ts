import { expect, it } from 'vitest'
import { metricsHandler } from './metrics-route.ts'

it('a scrape with a token ends even if the store does not respond', async () => {
  const unused = (): never => {
    throw new Error('the handler does not need this')
  }
  // Contains only the members that the handler uses.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  const guard = { known: () => new Promise(() => {}) } as unknown as Parameters<typeof metricsHandler>[1]
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  const deps = {
    metrics: {
      addresses: null,
      scrape: unused,
      scrapeWithoutStore: async () => ({ contentType: 'text/plain', text: 'tollgate_store_up 0\n' }),
    },
    storeMsMax: 1,
    onRefused: unused,
    onInternal: () => {},
  } as unknown as Parameters<typeof metricsHandler>[0]
  const read = metricsHandler(deps, guard, unused)
  const request = new Request('http://localhost/metrics', { headers: { authorization: 'Bearer sk_any' } })
  const response = await read(request, { address: '127.0.0.1', userAgent: '' }, 'req_1')
  expect([response.status, await response.text()]).toEqual([200, 'tollgate_store_up 0\n'])
})
