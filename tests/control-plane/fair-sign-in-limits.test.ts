/** Source: docs/decisions/2026-11-28-limits-on-sign-ins.md. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deviceCookieName } from '#http/known-device-cookie.ts'
import { rateLimits } from '#http/control-plane-rate-limiter.ts'
import { openControl, password, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import type { Answer } from '../support/start-product.ts'

const limits = { ...rateLimits, credential: null, address: null, public: null }
const email = 'ada@example.com'

const countOf = (answers: readonly Answer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length

describe.each(testedEngines)('on %s', (engine) => {
  let control: Control
  beforeEach(async () => {
    control = await openControl({ engine, rateLimits: limits })
  })
  afterEach(() => control.close())

  const start = (address: string) =>
    control.call('POST', '/v1/device-auth', { token: null, body: {}, address })

  it('device sign-ins from unknown networks do not use up the limit of a network from which a team signs in', async () => {
    await control.call('GET', '/v1/whoami', { address: '198.51.100.7' })
    const strangers = []
    for (let n = 0; n < 120; n++) strangers.push(await start(`203.0.${n}.7`))
    expect(countOf(strangers, 429)).toBeGreaterThan(0)
    const honest = []
    for (let n = 0; n < 12; n++) honest.push(await start(`198.51.100.${10 + (n % 2)}`))
    expect(countOf(honest, 200)).toBe(12)
  })

  it('all addresses of one IPv6 site count as a single unknown caller', async () => {
    const answers = []
    for (let n = 0; n < 40; n++) answers.push(await start(`2001:db8:1:${n.toString(16)}::1`))
    expect(countOf(answers, 429)).toBe(10)
    expect((await start('2001:db8:2::1')).status).toBe(200)
  })

  it('a team that uses many networks can start twenty sign-ins a minute', async () => {
    for (let n = 0; n < 30; n++) await control.call('GET', '/v1/whoami', { address: `203.0.${n}.7` })
    const answers = []
    for (let n = 0; n < 30; n++) answers.push(await start(`203.0.${n}.8`))
    expect(countOf(answers, 200)).toBe(20)
  })

  it('probes are limited for each organization separately', async () => {
    const other = await control.found('Other')
    await ready(control)
    await ready(control, 'second', other)
    const probe = (token: string | undefined, app: string, address: string) =>
      control.call('POST', '/v1/providers/main/probe', {
        app,
        address,
        body: { model: 'gpt-x' },
        ...(token !== undefined && { token }),
      })
    const own = []
    for (let n = 0; n < 75; n++) own.push(await probe(undefined, 'acme', `203.0.113.${n}`))
    expect(countOf(own, 429)).toBeGreaterThan(0)
    // The other organization sends its probes from the same addresses.
    expect((await probe(other, 'second', '203.0.113.1')).status).toBe(200)
  })

  it('a known browser can sign in from an address whose attempts strangers have used up', async () => {
    const signIn = (headers: Record<string, string>, address = '203.0.113.7', given = password) =>
      control.call('POST', '/v1/sessions', {
        token: null,
        headers,
        address,
        body: { email, password: given },
      })
    await control.join(email, 'owner')
    const first = await signIn({}, '198.51.100.7')
    const cookie = first.headers
      .getSetCookie()
      .find((text) => text.startsWith(deviceCookieName))
      ?.split(';')[0]
    expect(cookie).toBeDefined()
    for (let n = 0; n < 12; n++) await signIn({}, '203.0.113.7', 'guess')
    expect((await signIn({})).status).toBe(429)
    const forged = `${cookie?.slice(0, -1)}${cookie?.endsWith('A') === true ? 'B' : 'A'}`
    expect((await signIn({ cookie: forged })).status).toBe(429)
    expect((await signIn({ cookie: cookie ?? '' })).status).toBe(200)
    // The limit also applies to attempts of the known browser.
    const guesses = []
    for (let n = 0; n < 12; n++) guesses.push(await signIn({ cookie: cookie ?? '' }, '203.0.113.7', 'guess'))
    expect(countOf(guesses, 429)).toBeGreaterThan(1)
    // After half a year, the browser is no longer known.
    control.clock.nowMs += 180 * 86_400_000
    for (let n = 0; n < 12; n++) await signIn({}, '203.0.113.7', 'guess')
    expect((await signIn({ cookie: cookie ?? '' })).status).toBe(429)
  })
})

it('strangers cannot use up the limit on device sign-ins that wait for approval', async () => {
  let live = 599
  const control = await openControl({
    seenStore: (store) => ({
      ...store,
      transaction: (work) =>
        store.transaction((nouns) =>
          work({ ...nouns, deviceSignIns: { ...nouns.deviceSignIns, liveCount: async () => live } }),
        ),
    }),
  })
  const start = async (address: string) =>
    (await control.call('POST', '/v1/device-auth', { token: null, body: {}, address })).status
  await control.call('GET', '/v1/whoami', { address: '198.51.100.7' })
  expect(await start('203.0.113.7')).toBe(200)
  live = 600
  expect(await start('203.0.113.7')).toBe(429)
  expect(await start('198.51.100.8')).toBe(200)
  live = 1_000
  expect(await start('198.51.100.8')).toBe(429)
  await control.close()
})
