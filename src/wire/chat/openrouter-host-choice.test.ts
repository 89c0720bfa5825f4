import { expect, it } from 'vitest'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { isFault } from '#wire/wire-request.ts'
import { parseChatRequest } from './parse-request.ts'

function read(provider: unknown): string | object | undefined {
  const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }], provider }
  const request = parseChatRequest(byteTextOf(JSON.stringify(body)))
  return isFault(request) ? `${request.code} ${request.param}` : request.providerChoice
}

it.each([
  { order: ['anthropic'], allow_fallbacks: false },
  { only: ['xai'], ignore: ['azure'], require_parameters: true, data_collection: 'deny', zdr: true },
  { quantizations: ['fp8'], sort: { by: 'price', partition: 'none' } },
  { preferred_min_throughput: 50, preferred_max_latency: { p90: 3 }, enforce_distillable_text: true },
])('the host choice %j is accepted', (provider) => {
  expect(read(provider)).toMatchObject({ isFirstOfSeveral: true })
})

it('a host choice without members is accepted, and null and false are ignored', () => {
  expect(read({})).toMatchObject({ isFirstOfSeveral: false })
  expect([read(null), read(false), read(undefined)]).toEqual([undefined, undefined, undefined])
})

it.each([
  [{ max_price: { prompt: 100 } }, 'unsupported_for_route provider.max_price'],
  [{ order: ['x'], experimental: {} }, 'unsupported_for_route provider.experimental'],
  [{ constructor: 1 }, 'unsupported_for_route provider.constructor'],
  [['x'], 'invalid_request provider'],
  ['x', 'invalid_request provider'],
  [true, 'invalid_request provider'],
])('the host choice %j is rejected, and the error names the field', (provider, expected) => {
  expect(read(provider)).toBe(expected)
})

it('a repeated host choice is rejected', () => {
  const twice = '{"model":"m","messages":[{}],"provider":{"order":["a"]},"provider":{"max_price":{}}}'
  const inside = '{"model":"m","messages":[{}],"provider":{"order":["a"],"max_\\u0070rice":{}}}'
  for (const body of [twice, inside]) {
    const request = parseChatRequest(byteTextOf(body))
    expect(isFault(request) && request.param).toMatch(/^provider/)
  }
})
