import type { Browser } from '#operations/context.ts'
import { sessionMs } from '#domain/people/member-sessions.ts'
import { sessionCookieName } from './authenticate.ts'
import { csrfTokenOf, endedCookie, sessionCookie } from './browser-session.ts'

/**
 * A browser of the console's.
 * @param secret of the session of this request; null: it has none
 * @param headers of the answer
 */
export function memberBrowser(secret: string | null, headers: [string, string][]): Browser {
  return {
    begin(newSecret) {
      headers.push(['set-cookie', sessionCookie(sessionCookieName, newSecret, sessionMs / 1000)])
      return csrfTokenOf(newSecret)
    },
    end() {
      headers.push(['set-cookie', endedCookie(sessionCookieName)])
    },
    csrfToken: secret === null ? null : csrfTokenOf(secret),
  }
}
