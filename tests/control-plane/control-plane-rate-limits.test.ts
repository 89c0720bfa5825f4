/** Source: docs/reference/threats.md "A flood of wrong keys". */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Failure } from '#domain/errors.ts'
import { RateLimiter, rateLimits, readMsPerCall } from '#http/control-plane-rate-limiter.ts'
import { networkName } from '#domain/network/address-ranges.ts'
import { openControl, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'

let control: Control
beforeEach(async () => {
  // The bucket refills so slowly that no further call fits while a test runs.
  const slow = { perSecond: 0.0001, burst: 5 }
  control = await openControl({ rateLimits: { ...rateLimits, credential: slow, address: slow } })
})
afterEach(() => control.close())

describe('a credential', () => {
  it('a credential that sends too many requests gets 429 and retry-after, and other credentials are served', async () => {
    const other = await control.found('Other')
    for (let call = 0; call < 5; call++) expect((await control.call('GET', '/v1/whoami')).status).toBe(200)
    const refusal = await control.call('GET', '/v1/whoami')
    expect([refusal.status, refusal.body.error.code]).toEqual([429, 'rate_limited'])
    expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refusal.headers.get('x-should-retry')).toBe('true')
    expect((await control.call('GET', '/v1/whoami', { token: other })).status).toBe(200)
  })
})

describe('a slow read of the store', () => {
  it('the time of a slow read is charged to the bucket of its own credential, and to no other bucket', async () => {
    const own = await openControl({
      rateLimits: { ...rateLimits, credential: { perSecond: 0.0001, burst: 31 } },
      seenStore: (store) => ({
        ...store,
        readFor(reader) {
          // The read costs as much as ten requests, but the bucket was charged for one request when the request
          // arrived.
          reader.onCost(readMsPerCall * 4)
          reader.onCost(readMsPerCall * 6)
          // The real duration of the SQL statements depends on the machine, so the test ignores it.
          return store.readFor({ ...reader, onCost: () => {} })
        },
      }),
    })
    const other = await own.join('ada@acme.test', 'viewer')
    const statuses = []
    for (let call = 0; call < 4; call++) statuses.push((await own.call('GET', '/v1/apps')).status)
    expect(statuses).toEqual([200, 200, 200, 429])
    expect((await own.call('GET', '/v1/apps', { session: other })).status).toBe(200)
    await own.close()
  })

  it('a short read costs one request', async () => {
    const own = await openControl({
      rateLimits: { ...rateLimits, credential: { perSecond: 0.0001, burst: 5 } },
      seenStore: (store) => ({
        ...store,
        readFor(reader) {
          for (let statement = 0; statement < 8; statement++) reader.onCost(readMsPerCall / 8)
          return store.readFor({ ...reader, onCost: () => {} })
        },
      }),
    })
    const statuses = []
    for (let call = 0; call < 6; call++) statuses.push((await own.call('GET', '/v1/apps')).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    await own.close()
  })
})

describe('threat 19: wrong credentials of one address', () => {
  it('wrong credentials of an address are rejected without a look-up after too many attempts', async () => {
    let lookUps = 0
    const counting = await openControl({
      rateLimits: {
        ...rateLimits,
        credential: { perSecond: 1, burst: 100 },
        address: { perSecond: 0.0001, burst: 5 },
      },
      seenStore: (store) => ({
        ...store,
        read: {
          ...store.read,
          tokens: {
            ...store.read.tokens,
            byHash(hash) {
              lookUps += 1
              return store.read.tokens.byHash(hash)
            },
          },
        },
      }),
    })
    const wrong = `${counting.token.slice(0, -1)}${counting.token.endsWith('0') ? '1' : '0'}`
    const statuses = []
    for (let call = 0; call < 8; call++) {
      statuses.push((await counting.call('GET', '/v1/whoami', { token: wrong })).status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
    expect(lookUps).toBeLessThanOrEqual(5)
    await counting.close()
  })
})

describe('a credential that was valid', () => {
  const crowded = {
    ...rateLimits,
    credential: { perSecond: 1, burst: 100 },
    address: { perSecond: 0.0001, burst: 5 },
    public: { perSecond: 0.0001, burst: 5 },
  }
  const wrongOf = (token: string): string => `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`

  it.each(testedEngines)(
    'a valid credential is served on %s, even if many wrong credentials are sent from the same address',
    async (engine) => {
      const own = await openControl({ engine, rateLimits: crowded })
      const signedIn = await own.join('ada@acme.test', 'owner')
      expect((await own.call('GET', '/v1/whoami')).status).toBe(200)
      expect((await own.call('GET', '/v1/whoami', { session: signedIn })).status).toBe(200)
      const wrong = { token: wrongOf(own.token) }
      const statuses = []
      for (let call = 0; call < 20; call++) statuses.push((await own.call('GET', '/v1/whoami', wrong)).status)
      expect(statuses.filter((status) => status === 429)).toHaveLength(15)
      for (let call = 0; call < 20; call++) {
        expect((await own.call('GET', '/v1/whoami')).status).toBe(200)
        expect((await own.call('GET', '/v1/whoami', { session: signedIn })).status).toBe(200)
      }
      await own.close()
    },
  )

  it.each(testedEngines)(
    'on %s, a flood of wrong credentials causes one query at a time, and a valid credential that is new to the process is served',
    async (engine) => {
      const queries = { now: 0, most: 0, all: 0 }
      const own = await openControl({
        engine,
        rateLimits: crowded,
        seenStore: (store) => ({
          ...store,
          read: {
            ...store.read,
            credentials: {
              async validAmong(...given) {
                queries.all += 1
                queries.most = Math.max(queries.most, (queries.now += 1))
                const found = await store.read.credentials.validAmong(...given)
                queries.now -= 1
                return found
              },
            },
          },
        }),
      })
      const session = await own.join('ada@acme.test', 'owner')
      const other = own.sibling()
      const wrong = { token: wrongOf(own.token) }
      for (let call = 0; call < 5; call++) await other.call('GET', '/v1/whoami', wrong)
      expect(queries.all).toBe(0)
      const flood = Array.from({ length: 50 }, () => other.call('GET', '/v1/whoami', wrong))
      const right = await Promise.all([
        other.call('GET', '/v1/whoami'),
        other.call('GET', '/v1/whoami', { session }),
      ])
      expect(right.map(({ status }) => status)).toEqual([200, 200])
      expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([429]))
      expect(queries.most).toBe(1)
      await own.close()
    },
  )

  it('after a token is revoked, its credential is limited like an unknown credential', async () => {
    const own = await openControl({ rateLimits: crowded })
    const made = await own.call('POST', '/v1/application-keys', { body: { label: 'ci' } })
    const { id, token } = made.body
    expect((await own.call('GET', '/v1/whoami', { token })).status).toBe(200)
    await own.call('DELETE', `/v1/application-keys/${id}`)
    const statuses = []
    for (let call = 0; call < 7; call++)
      statuses.push((await own.call('GET', '/v1/whoami', { token })).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
    await own.close()
  })

  it('requests without a credential do not count toward the limit of a valid credential', async () => {
    const own = await openControl({ rateLimits: crowded })
    const statuses = []
    for (let call = 0; call < 7; call++) {
      statuses.push((await own.call('GET', '/v1/sessions/options', { token: null })).status)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
    expect((await own.call('GET', '/v1/whoami')).status).toBe(200)
    expect((await own.call('GET', '/v1/whoami', { token: wrongOf(own.token) })).status).toBe(401)
    await own.close()
  })

  it('unknown callers at one portal do not cause rejections at another portal', async () => {
    const own = await openControl({ rateLimits: crowded })
    for (const slug of ['acme', 'beta']) await own.call('PUT', `/v1/apps/${slug}`, { body: { name: slug } })
    const ask = async (slug: string) => (await own.portal(slug).call('GET', '/v1/portal/account')).status
    const strangers = []
    for (let call = 0; call < 7; call++) strangers.push(await ask('beta'))
    expect(strangers).toEqual([401, 401, 401, 401, 401, 429, 429])
    expect(await ask('acme')).toBe(401)
    await own.close()
  })
})

describe('a proxy that is not trusted', () => {
  it('an untrusted proxy is logged once, after ten credentials have arrived through it', async () => {
    const forwarded = { headers: { 'x-forwarded-for': '203.0.113.9' } }
    const tokens = [control.token]
    while (tokens.length < 12) tokens.push(await control.found(`Organization ${tokens.length}`))
    for (const token of tokens.slice(0, 9)) await control.call('GET', '/v1/whoami', { token, ...forwarded })
    expect(control.untrusted).toEqual([])
    for (const token of tokens.slice(9)) await control.call('GET', '/v1/whoami', { token })
    expect(control.untrusted).toEqual([])
    for (const token of tokens) await control.call('GET', '/v1/whoami', { token, ...forwarded })
    expect(control.untrusted).toHaveLength(1)
  })
})

describe('buckets', () => {
  it('a bucket refills over time, and never above its burst', () => {
    let nowMs = 0
    const limiter = new RateLimiter({ perSecond: 2, burst: 3 }, () => nowMs)
    const taken = (calls: number) => {
      let count = 0
      for (let call = 0; call < calls; call++) {
        try {
          limiter.take('one')
          count += 1
        } catch (error) {
          expect(error).toBeInstanceOf(Failure)
        }
      }
      return count
    }
    expect(taken(10)).toBe(3)
    nowMs = 500
    expect(taken(10)).toBe(1)
    nowMs = 3_600_000
    expect(taken(10)).toBe(3)
  })

  it('the cost of a request can make a bucket negative, by at most one burst', () => {
    let nowMs = 0
    const limiter = new RateLimiter({ perSecond: 1, burst: 3 }, () => nowMs)
    limiter.charge('one', 1_000)
    nowMs = 3_900
    expect(() => limiter.take('one')).toThrow(Failure)
    nowMs = 4_100
    expect(() => limiter.take('one')).not.toThrow()
    expect(() => limiter.take('another')).not.toThrow()
  })

  it('a rate limiter keeps a limited number of buckets in memory', () => {
    const limiter = new RateLimiter({ perSecond: 1, burst: 1 }, () => 0)
    for (let name = 0; name < 25_000; name++) limiter.take(`name ${name}`)
    expect(() => limiter.take('name 0')).not.toThrow()
    expect(() => limiter.take('name 24999')).toThrow(Failure)
  })

  it('all addresses of an IPv6 network count as one address', () => {
    expect(networkName('2001:db8:1:2:3::4')).toBe(networkName('2001:db8:1:2::5'))
    expect(networkName('2001:db8::5')).toBe(networkName('2001:db8::6'))
    expect(networkName('2001:db8::5')).not.toBe(networkName('2001:db8:0:1::5'))
    expect(networkName('192.0.2.1')).not.toBe(networkName('192.0.2.2'))
  })
})
