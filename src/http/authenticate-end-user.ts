/**
 * Finds the end user who is signed in to a portal: by a cookie on the portal's host, or by a bearer token at the
 * control plane.
 */
import { Failure } from '#domain/errors.ts'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import type { PortalSession } from '#domain/portal-settings-and-sessions.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { Store } from '#domain/store-interface.ts'
import type { Browser } from '#operations/kernel/operation-context.ts'
import {
  isPortalSecret,
  sessionIdleMs,
  sessionMs,
} from '#operations/portal/shared/link-and-session-lifetimes.ts'
import type { PortalCaller } from './authenticate-caller.ts'
import {
  assertOwnPage,
  cookieOf,
  csrfTokenOf,
  endedCookie,
  sessionCookie,
} from './session-cookie-and-csrf.ts'
import { clearedData } from './cookies-of-console-browser.ts'

/**
 * The prefix `__Host-` makes a browser send the cookie only to this host, and not to subdomains or sibling hosts
 * (docs/reference/threats.md "Separate portals").
 */
export const portalCookie = '__Host-tollgate_portal'

/** Minimum time between two updates of `last_used_at`, so that most requests do not write. */
const everyMs = 60_000

/**
 * The error is the same for unknown sessions, ended sessions, sessions of another application, and sessions of deleted
 * end users.
 * @param portalOf the application whose portal host received the request; null for the control plane
 * @throws Failure portal_session_required, cross_site_request, wrong_credential_kind
 */
export async function authenticateEndUser(
  { headers, method }: Request,
  portalOf: string | null,
  { nowMs, store }: { readonly store: Store; readonly nowMs: number },
): Promise<PortalCaller> {
  const secret = portalOf === null ? bearer(headers) : cookieOf(headers, portalCookie)
  if (secret === null || !isPortalSecret(secret)) throw new Failure('portal_session_required')
  const found = await callerOf(sha256(secret), store, nowMs)
  if (!found || (portalOf !== null && portalOf !== found.application.id)) {
    throw new Failure('portal_session_required')
  }
  if (portalOf !== null && method !== 'GET' && method !== 'HEAD') assertOwnPage(headers, secret)
  return found
}

/**
 * @param sent headers of the request from the browser
 * @param headers headers of the response, to which the cookies are added
 */
export function portalBrowser(sent: Headers, headers: [string, string][]): Browser {
  const secret = cookieOf(sent, portalCookie)
  return {
    begin(newSecret) {
      headers.push(['set-cookie', sessionCookie(portalCookie, newSecret, sessionMs / 1000)])
      return csrfTokenOf(newSecret)
    },
    end: () => void headers.push(['set-cookie', endedCookie(portalCookie)], ['clear-site-data', clearedData]),
    csrfToken: secret === null ? null : csrfTokenOf(secret),
    formerSessionHash: secret === null ? null : sha256(secret),
    // End users sign in without a password, so they have no device cookie.
    device: null,
    remember() {},
  }
}

/** Call this after the operation has run. Writes at most once a minute. */
export async function noteSessionUse(session: PortalSession, store: Store, nowMs: number): Promise<void> {
  if (nowMs - session.lastUsedAtMs < everyMs) return
  await store.transaction((nouns) => nouns.portals.touchSession(session.id, nowMs))
}

async function callerOf(hash: string, { read }: Store, nowMs: number): Promise<PortalCaller | null> {
  try {
    const session = await read.portals.session(hash)
    if (!session || session.expiresAtMs <= nowMs || session.lastUsedAtMs + sessionIdleMs <= nowMs) return null
    const { applicationId, endUserId, organizationId } = session
    const organization = await read.organizations.byId(organizationId)
    const application = await read.applications.byId(organizationId, applicationId)
    const endUser = await read.endUsers.byId(applicationId, endUserId)
    if (!organization || !application || application.archivedAtMs !== null || !endUser) return null
    const { openedById, openedByLabel } = session
    const openedBy =
      openedById === null || openedByLabel === null ? null : { id: openedById, label: openedByLabel }
    const actor = { kind: 'end_user', id: endUser.id, label: endUser.id, openedBy } as const
    return { kind: 'portal', organization, actor, application, endUser, session }
  } catch (cause) {
    // Without the store, do not report an ended session (docs/reference/threats.md "An unavailable store").
    throw new StoreUnavailable('look up a portal session', { cause })
  }
}

function bearer(headers: Headers): string | null {
  const authorization = headers.get('authorization')
  if (authorization === null) return null
  const secret = /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? null
  if (secret !== null && /^(?:sk|ak)_/.test(secret)) {
    const here =
      'This is an operation of a signed-in end user. End users sign in with portal.link and portal.redeem.'
    throw new Failure('wrong_credential_kind', { here })
  }
  return secret
}
