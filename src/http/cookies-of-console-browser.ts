import type { Browser } from '#operations/kernel/operation-context.ts'
import { sessionMs } from '#domain/people/member-sessions.ts'
import { randomText } from '#domain/secrets/random-link-and-cookie-secrets.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { sessionCookieName } from './authenticate-caller.ts'
import { cookieOf, csrfTokenOf, endedCookie, sessionCookie } from './session-cookie-and-csrf.ts'
import type { DeviceCookies } from './known-device-cookie.ts'

export interface MemberBrowserDeps {
  readonly devices: DeviceCookies
  readonly nowMs: () => number
  readonly ports: { randomByte(): number }
}

/**
 * @param sent headers of the request
 * @param secret secret of the request's session; null if the request has no session
 * @param headers headers of the response, to which the cookies are added
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
 * The data that a browser must delete on sign-out. Omits `cookies`, which would also delete the cookies of other hosts of the
 * domain, such as other portals (W3C, Clear Site Data, section 3.1).
 */
export const clearedData = '"cache", "storage"'
