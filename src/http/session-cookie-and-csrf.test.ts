import { describe, expect, it } from 'vitest'
import { Failure } from '#domain/errors.ts'
import {
  assertOwnPage,
  cookieOf,
  csrfTokenOf,
  endedCookie,
  originOf,
  sessionCookie,
} from './session-cookie-and-csrf.ts'

const name = '__Host-session'
const secret = 'the-secret-of-a-session'
const host = 'acme.portal.example.com'

describe('the cookie of a browser session', () => {
  const read = (cookie: string) => cookieOf(new Headers({ cookie }), name)

  it('the session cookie is found only under its full name', () => {
    expect(read(`${name}=abc`)).toBe('abc')
    expect(read(`other=1; ${name}=a=b; last=2`)).toBe('a=b')
    expect(read(`x${name}=abc`)).toBeNull()
    expect(read(`${name}x=abc`)).toBeNull()
    expect(read(name)).toBeNull()
    expect(read(`${name}=`)).toBeNull()
    expect(cookieOf(new Headers(), name)).toBeNull()
  })

  it('the session cookie is ignored if it is sent twice', () => {
    expect(read(`${name}=one; ${name}=two`)).toBeNull()
  })

  it('the cookie of a new session has all attributes that `__Host-` requires, and the same name removes the cookie', () => {
    expect(sessionCookie(name, 'abc', 60)).toBe(
      '__Host-session=abc; Path=/; Max-Age=60; Secure; HttpOnly; SameSite=Lax',
    )
    expect(endedCookie(name)).toContain('__Host-session=; Path=/; Max-Age=0; Secure')
  })
})

describe('threat 100: the site from which a request comes', () => {
  const cases: readonly (readonly [Record<string, string>, ReturnType<typeof originOf>])[] = [
    [{}, 'unsaid'],
    [{ 'sec-fetch-site': 'same-origin' }, 'own'],
    [{ 'sec-fetch-site': 'same-site' }, 'foreign'],
    [{ 'sec-fetch-site': 'cross-site' }, 'foreign'],
    [{ 'sec-fetch-site': 'none' }, 'foreign'],
    [{ origin: `https://${host}` }, 'own'],
    [{ origin: `https://${host.toUpperCase()}` }, 'own'],
    // A proxy may have changed the port of the request.
    [{ origin: `https://${host}:8443` }, 'own'],
    [{ origin: `http://${host}` }, 'own'],
    [{ origin: 'null' }, 'foreign'],
    [{ origin: '' }, 'foreign'],
    [{ origin: 'https://beta.portal.example.com' }, 'foreign'],
    [{ origin: `https://${host}.evil.example` }, 'foreign'],
    [{ origin: `https://evil.example/${host}` }, 'foreign'],
    [{ origin: `https://user@${host}` }, 'foreign'],
    [{ origin: `ftp://${host}` }, 'foreign'],
    [{ origin: `https://${host}, https://evil.example` }, 'foreign'],
    [{ origin: `https://${host}`, 'sec-fetch-site': 'cross-site' }, 'foreign'],
    [{ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }, 'foreign'],
  ]
  for (const [said, origin] of cases) {
    it(`the origin of a request is "${origin}" if the request has the headers ${JSON.stringify(said)}`, () => {
      expect(originOf(new Headers({ host, ...said }))).toBe(origin)
    })
  }

  it('the port in the origin is compared only if ports distinguish applications', () => {
    const of = (port: number) =>
      originOf(new Headers({ host: '127.0.0.1:8102', origin: `http://127.0.0.1:${port}` }))
    expect([of(8102), of(8104)]).toEqual(['own', 'foreign'])
  })
})

describe('threat 100: a change that is authenticated by a cookie', () => {
  const reasonOf = (headers: Record<string, string>) => {
    try {
      assertOwnPage(new Headers({ host, ...headers }), secret)
    } catch (error) {
      return error instanceof Failure ? `${error.code}: ${String(error.details['reason'])}` : String(error)
    }
    return null
  }
  const origin = `https://${host}`
  const csrf = { 'x-csrf-token': csrfTokenOf(secret) }

  it("threats 18 and 100: a change requires the host's own origin and the session's token, and a token of any other length is rejected", () => {
    expect(reasonOf({ origin, ...csrf })).toBeNull()
    expect(reasonOf({ 'sec-fetch-site': 'same-origin', ...csrf })).toBeNull()
    expect(reasonOf(csrf)).toContain('cross_site_request: Origin')
    expect(reasonOf({ origin: 'https://evil.example', ...csrf })).toContain('cross_site_request: Origin')
    expect(reasonOf({ origin })).toContain('cross_site_request: x-csrf-token')
    expect(reasonOf({ origin, 'x-csrf-token': csrfTokenOf('another session') })).toContain('x-csrf-token')
    expect(reasonOf({ origin, 'x-csrf-token': `${csrfTokenOf(secret)}x` })).toContain('x-csrf-token')
  })

  it("the token that a change requires reveals nothing about the session's secret", () => {
    expect(csrfTokenOf(secret)).not.toContain(secret)
    expect(csrfTokenOf(secret)).toMatch(/^[\w-]{43}$/)
  })
})
