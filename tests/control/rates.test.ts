/** How often the control plane may be called (docs/reference/threats.md, threat 19). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Failure } from '#domain/errors.ts'
import { RateLimiter, rateLimits } from '#http/rate-limits.ts'
import { networkName } from '#domain/network/address-ranges.ts'
import { openControl, type Control } from '../support/control.ts'

let control: Control
beforeEach(async () => {
  // So slow that no token comes back while a test runs.
  const slow = { perSecond: 0.0001, burst: 5 }
  control = await openControl({ rateLimits: { ...rateLimits, credential: slow, address: slow } })
})
afterEach(() => control.close())

describe('a credential', () => {
  it('is refused with 429 and retry-after once it has called too often, and others are not', async () => {
    const other = await control.found('Other')
    for (let call = 0; call < 5; call++) expect((await control.call('GET', '/v1/whoami')).status).toBe(200)
    const refusal = await control.call('GET', '/v1/whoami')
    expect([refusal.status, refusal.body.error.code]).toEqual([429, 'rate_limited'])
    expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refusal.headers.get('x-should-retry')).toBe('true')
    expect((await control.call('GET', '/v1/whoami', { token: other })).status).toBe(200)
  })
})

describe('threat 19: wrong credentials of one address', () => {
  it('are refused without a look-up once they are too many', async () => {
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

describe('a rate', () => {
  it('gives back a call with time, and never more than the burst', () => {
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

  it('remembers a bounded number of names', () => {
    const limiter = new RateLimiter({ perSecond: 1, burst: 1 }, () => 0)
    for (let name = 0; name < 25_000; name++) limiter.take(`name ${name}`)
    // The quietest are forgotten, the newest are not.
    expect(() => limiter.take('name 0')).not.toThrow()
    expect(() => limiter.take('name 24999')).toThrow(Failure)
  })

  it('counts an IPv6 network as one address', () => {
    expect(networkName('2001:db8:1:2:3::4')).toBe(networkName('2001:db8:1:2::5'))
    expect(networkName('2001:db8::5')).toBe(networkName('2001:db8::6'))
    expect(networkName('2001:db8::5')).not.toBe(networkName('2001:db8:0:1::5'))
    expect(networkName('192.0.2.1')).not.toBe(networkName('192.0.2.2'))
  })
})
