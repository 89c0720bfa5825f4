import type { Browser } from '#operations/context.ts'
import { sessionMs } from '#domain/people/member-sessions.ts'
import { randomText } from '#domain/secrets/random-text.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { sessionCookieName } from './authenticate.ts'
import { cookieOf, csrfTokenOf, endedCookie, sessionCookie } from './browser-session.ts'
import type { DeviceCookies } from './device-cookie.ts'

export interface MemberBrowserDeps {
  readonly devices: DeviceCookies
  readonly nowMs: () => number
  readonly ports: { randomByte(): number }
}

/**
 * A browser of the console's.
 * @param sent headers of the request
 * @param secret of the session of this request; null: it has none
 * @param headers of the answer
 */
export function memberBrowser(
  sent: Headers,
  secret: string | null,
  headers: [string, string][],
  { devices, nowMs, ports }: MemberBrowserDeps,
): Browser {
  const former = cookieOf(sent, sessionCookieName)
  const device = devices.read(sent, nowMs())
  return {
    begin(newSecret) {
      headers.push(['set-cookie', sessionCookie(sessionCookieName, newSecret, sessionMs / 1000)])
      return csrfTokenOf(newSecret)
    },
    end() {
      headers.push(['set-cookie', endedCookie(sessionCookieName)], ['clear-site-data', clearedData])
    },
    csrfToken: secret === null ? null : csrfTokenOf(secret),
    formerSessionHash: former === null ? null : sha256(former),
    device,
    remember(memberId) {
      const nonce = device?.memberId === memberId ? device.nonce : randomText(ports)
      headers.push(['set-cookie', devices.issue({ memberId, nonce }, nowMs())])
    },
  }
}

/**
 * What a browser deletes on sign-out. Without `cookies`: that would delete the cookies of every host of the domain,
 * other portals and the customer's own site included (W3C, Clear Site Data, section 3.1).
 */
export const clearedData = '"cache", "storage"'
