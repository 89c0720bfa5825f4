import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import manifest from '#package.json' with { type: 'json' }
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'

let control: Control
beforeEach(async () => {
  control = await openControl()
  await ready(control)
})
afterEach(() => control.close())

const put = (body: unknown, headers: Record<string, string> = {}) =>
  control.call('PUT', '/v1/outcomes/report', { body, headers })
const right = '{"displayName":"Report","ceilingMicros":"1"}'

describe('request bodies', () => {
  it('a body must be JSON in UTF-8, declared as such, and not compressed', async () => {
    expect((await put(right)).status).toBe(200)
    expect((await put(right, { 'content-type': 'application/json; charset=utf-8' })).status).toBe(200)
    for (const type of [
      'text/plain',
      'application/json; charset=latin1',
      'application/jsonx',
      'application/json, x',
    ]) {
      const answer = await put(right, { 'content-type': type })
      expect([type, answer.status]).toEqual([type, 415])
    }
    expect((await put(right, { 'content-encoding': 'gzip' })).body.error.code).toBe('unsupported_media_type')
  })

  it('the error for a body that is not JSON states the position of the fault', async () => {
    for (const body of ['{', '[1,]', '{"a":1,}', "{'a':1}", '\ufeff{}', 'NaN', '{"a":"\u0001"}', '"\\ud8"']) {
      const answer = await put(body)
      expect([body, answer.status, answer.body.error.code]).toEqual([body, 400, 'invalid_json'])
    }
  })

  it('each key of an object may occur only once in a body', async () => {
    const answer = await put('{"displayName":"a","ceilingMicros":"1","displayName":"b"}')
    expect(answer.body.error).toMatchObject({ code: 'invalid_json' })
    expect(answer.body.error.message).toContain('"displayName" is repeated')
    expect((await put('{"displayName":"a","\\u0064isplayName":"b","ceilingMicros":"1"}')).status).toBe(400)
  })

  it('a body may be at most 64 levels deep and 1 MB large', async () => {
    const deep = await put(`{"displayName":${'['.repeat(64)}${']'.repeat(64)},"ceilingMicros":"1"}`)
    expect(deep.body.error.code).toBe('invalid_json')
    expect((await put('['.repeat(100_000))).body.error.code).toBe('invalid_json')
    const large = await put(`{"displayName":"${'x'.repeat(1_048_576)}"}`)
    expect(large.status).toBe(413)
    expect(large.body.error.code).toBe('request_too_large')
  })

  it('a body with an unknown field is rejected, and the error names the known fields', async () => {
    const answer = await put({ displayName: 'a', ceilingMicros: '1', ceiling: 1, balanceMicros: '5' })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatchObject({
      code: 'unknown_field',
      param: 'ceiling, balanceMicros',
      details: { known: 'displayName, ceilingMicros' },
      message: 'Unknown field ceiling, balanceMicros. This operation accepts displayName, ceilingMicros.',
    })
    const nested = await control.call('PUT', '/v1/models/acme/x', {
      body: { sources: [{ provider: 'main', model: 'm', weight: 1 }] },
    })
    expect(nested.body.error).toMatchObject({
      code: 'unknown_field',
      param: 'sources.0.weight',
      details: { place: 'sources.0', known: 'provider, model' },
      message: 'Unknown field sources.0.weight. sources.0 accepts provider, model.',
    })
  })

  it.each([
    [
      'POST',
      '/v1/keys/user-1/cap',
      { limits: [{ measure: 'requests', window: 'day', max: '5' }] },
      'limits.0.max',
      'measure, window, most, models',
    ],
    [
      'POST',
      '/v1/providers/main/price',
      { model: 'gpt-x', price: { input: '1', output: '1', tiers: [{ above: 1 }] } },
      'price.tiers.0.above',
      /^aboveInputTokens, input, /,
    ],
    [
      'PATCH',
      '/v1/gateway',
      { providerTools: { web: 'drop' } },
      'providerTools.web',
      /^webSearch, webFetch, /,
    ],
  ])(
    'the error for an unknown field names the known fields of its list item or object (%s %s)',
    async (method, path, body, param, known) => {
      const { error } = (await control.call(method, path, { body })).body
      expect(error).toMatchObject({ code: 'unknown_field', param })
      expect(error.details.known).toMatch(known)
    },
  )

  it('a body cannot set inherited properties', async () => {
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const answer = await put(`{"displayName":"a","ceilingMicros":"1","${key}":{"x":1}}`)
      expect(answer.body.error).toMatchObject({ code: 'unknown_field', param: key })
    }
    expect(Object.keys({})).toEqual([])
    expect('x' in {}).toBe(false)
  })

  it('the error for a missing body names the required fields', async () => {
    const answer = await control.call('PUT', '/v1/outcomes/report')
    expect(answer.body.error).toMatchObject({ code: 'invalid_request', param: 'displayName' })
    expect(answer.body.error.message).toContain('displayName is required')
    expect((await control.call('PUT', '/v1/end-users/user-9')).status).toBe(200)
  })

  it('operations without a body reject a body, unless it is empty', async () => {
    const unfreeze = '/v1/end-users/user-1/unfreeze'
    expect((await control.call('POST', unfreeze, { body: {} })).status).toBe(200)
    expect((await control.call('POST', unfreeze, { body: { reason: 'x' } })).body.error).toMatchObject({
      code: 'unknown_field',
      param: 'reason',
      details: { known: 'no fields' },
    })
  })
})

describe('paths', () => {
  it('a path is decoded only once, and a model name may contain encoded or plain slashes', async () => {
    for (const path of ['/v1/models/acme/smart', '/v1/models/acme%2Fsmart', '/v1/models/acme%2fsmart']) {
      expect((await control.call('GET', path)).body.name).toBe('acme/smart')
    }
    expect((await control.call('GET', '/v1/models/acme%252Fsmart')).status).toBe(404)
    expect((await control.call('POST', '/v1/models/acme/smart/disable')).body.enabled).toBe(false)
    expect((await control.call('POST', '/v1/models/acme%2Fsmart/enable')).body.enabled).toBe(true)
  })

  it('an external ID in a path is read completely, whatever characters it contains', async () => {
    for (const externalId of ['a/b', 'a%2Fb', '%', 'ü@example.com', "'; DROP TABLE keys", 'a b', '?x=1#y']) {
      const path = `/v1/end-users/${encodeURIComponent(externalId)}`
      expect((await control.call('PUT', path)).body.externalId).toBe(externalId)
      expect((await control.call('GET', path)).body.externalId).toBe(externalId)
    }
    expect((await control.call('PUT', '/v1/end-users/a/b')).status).toBe(404)
    expect((await control.call('PUT', '/v1/end-users/a%00b')).body.error.code).toBe('invalid_request')
    expect((await control.call('GET', '/v1/end-users/%ff')).body.error).toMatchObject({
      code: 'invalid_request',
      param: 'externalId',
    })
  })

  it('an unknown path is rejected, and the response to a wrong method lists the allowed methods', async () => {
    const unknown = await control.call('GET', '/v1/nothing')
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'no_such_path'])
    const method = await control.call('PATCH', '/v1/apps/acme')
    expect([method.status, method.headers.get('allow')]).toEqual([405, 'DELETE, GET, HEAD, PUT'])
    expect((await control.call('OPTIONS', '/v1/keys')).headers.get('allow')).toBe('GET, HEAD, POST')
    expect((await control.call('POST', '/health')).status).toBe(405)
    expect((await control.call('GET', '/v1/apps/')).status).toBe(404)
  })
})

describe('queries', () => {
  it('a query with an unknown or repeated parameter is rejected', async () => {
    expect((await control.call('GET', '/v1/keys?limt=5')).body.error).toMatchObject({
      code: 'unknown_field',
      param: 'limt',
      details: { known: 'limit, cursor, sort, direction, endUserId, search, state' },
    })
    expect((await control.call('GET', '/v1/keys?limit=5&limit=6')).body.error.param).toBe('limit')
    expect((await control.call('POST', '/v1/keys?x=1', { body: { endUserId: 'a' } })).body.error.code).toBe(
      'unknown_field',
    )
  })

  it('a list accepts limits from 1 to 200 and only its own cursors', async () => {
    for (const limit of ['0', '201', '-1', '1.5', 'ten', '1e2', '']) {
      const answer = await control.call('GET', `/v1/keys?limit=${limit}`)
      expect([limit, answer.status, answer.body.error.param]).toEqual([limit, 400, 'limit'])
    }
    for (const limit of ['1', '200'])
      expect((await control.call('GET', `/v1/keys?limit=${limit}`)).status).toBe(200)
    const odd = [
      'x',
      '!!!',
      btoa('[1]'),
      btoa('["a","b"]'),
      btoa('{"at":1,"id":"x"}'),
      btoa('[1.5,"x"]'),
      'x'.repeat(5000),
    ]
    for (const cursor of odd) {
      const answer = await control.call('GET', `/v1/keys?cursor=${encodeURIComponent(cursor)}`)
      expect([cursor, answer.status, answer.body.error.param]).toEqual([cursor, 400, 'cursor'])
    }
  })
})

describe('a request without a credential', () => {
  it('the public endpoints show whether the server is alive and ready, and the state of its services', async () => {
    const plain = { token: null }
    expect((await control.call('GET', '/health', plain)).body).toEqual({ status: 'ok' })
    expect((await control.call('GET', '/healthz', plain)).body).toEqual({ status: 'ok' })
    expect((await control.call('GET', '/readyz', plain)).body).toEqual({
      status: 'ready',
      checks: { store: 'ok' },
    })
    const document = await control.call('GET', '/v1/openapi.json', plain)
    expect(document.body).toMatchObject({
      openapi: '3.1.0',
      info: { version: '0.0.0', 'x-tollgate-version': manifest.version },
    })
    const etag = document.headers.get('etag') ?? ''
    const again = await control.call('GET', '/v1/openapi.json', {
      token: null,
      headers: { 'if-none-match': etag },
    })
    expect([again.status, again.text]).toEqual([304, ''])
  })
})
