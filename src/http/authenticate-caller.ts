import {
  type Actor,
  type EndUserActor,
  memberActor,
  type TokenActor,
  tokenActor,
} from '#domain/people/caller-types.ts'
import { Failure } from '#domain/errors.ts'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import { sessionExpiresAtMs } from '#domain/people/member-sessions.ts'
import { isRandomText } from '#domain/secrets/random-link-and-cookie-secrets.ts'
import { parseSecret } from '#domain/secrets/key-and-token-format.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { PortalSession } from '#domain/portal-settings-and-sessions.ts'
import type { Application } from '#domain/application-record.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { Organization } from '#domain/organization-record.ts'
import type { Store } from '#domain/store-interface.ts'
import { assertOwnPage, cookieOf } from './session-cookie-and-csrf.ts'

export type Caller = TeamCaller | PortalCaller

export interface TeamCaller {
  readonly kind: 'team'
  readonly organization: Organization
  readonly actor: Actor
}

export const sessionCookieName = '__Host-tollgate_session'

export interface PortalCaller {
  readonly kind: 'portal'
  readonly organization: Organization
  readonly actor: EndUserActor
  readonly application: Application
  readonly endUser: EndUser
  readonly session: PortalSession
}

interface Deps {
  readonly store: Store
  readonly nowMs: () => number
  /** The error for a gateway key at the control plane contains this address. */
  readonly gateway: () => string
}

/**
 * Returns the caller of a control-plane request. A token takes precedence over a session cookie, because browsers send
 * cookies automatically. The kind and the form of a credential are checked before the store is read. The response is
 * the same for unknown, malformed and revoked tokens, so that a caller cannot distinguish them. Only a caller who has
 * sent the whole token learns that it has expired (docs/reference/threats.md "Equal errors for every wrong key").
 * @throws Failure if the caller cannot be identified, with a code that states the reason
 */
export async function authenticate({ headers, method }: Request, deps: Deps): Promise<TeamCaller> {
  const cookie = headers.has('authorization') ? null : cookieOf(headers, sessionCookieName)
  if (cookie !== null) {
    const caller = await looked('a session', memberOf(cookie, deps))
    if (!caller) throw new Failure('session_ended')
    if (method !== 'GET' && method !== 'HEAD') assertOwnPage(headers, cookie)
    return caller
  }
  const secret = bearer(headers)
  if (secret.startsWith('ps_')) {
    const here = 'A portal session can call only the operations of /v1/portal.'
    throw new Failure('wrong_credential_kind', { here })
  }
  if (secret.startsWith('ak_')) {
    throw new Failure('wrong_credential_kind', { here: controlPlane(deps.gateway()) })
  }
  if (parseSecret(secret)?.kind !== 'sk') throw new Failure('invalid_token')
  const token = await looked('a token', tokenOf(secret, deps))
  if (!token) throw new Failure('invalid_token')
  const { expiresAtMs } = token.actor.token
  if (expiresAtMs !== null && expiresAtMs <= deps.nowMs()) {
    throw new Failure('token_expired', { at: new Date(expiresAtMs).toISOString() })
  }
  return token
}

/** The part of an error message that tells a caller of the control plane where to send model requests. */
export function controlPlane(gateway: string): string {
  return `This is the control plane. Send model requests to ${gateway}, or to localGateway in the response of GET /v1/apps.`
}

async function tokenOf(
  secret: string,
  { store }: Deps,
): Promise<(TeamCaller & { readonly actor: TokenActor }) | null> {
  const token = await store.read.tokens.byHash(sha256(secret))
  if (!token || token.revokedAtMs !== null) return null
  const organization = await store.read.organizations.byId(token.organizationId)
  return organization && { kind: 'team', organization, actor: tokenActor(token) }
}

async function memberOf(secret: string, { nowMs, store }: Deps): Promise<TeamCaller | null> {
  if (!isRandomText(secret)) return null
  const session = await store.read.memberSessions.byHash(sha256(secret))
  if (!session || sessionExpiresAtMs(session) <= nowMs()) return null
  const member = await store.read.members.byId(session.organizationId, session.memberId)
  const organization = await store.read.organizations.byId(session.organizationId)
  return member && organization && { kind: 'team', organization, actor: memberActor(member, session) }
}

/**
 * If the store is unavailable, the credential does not count as wrong (docs/reference/threats.md "An unavailable
 * store").
 */
async function looked<C extends TeamCaller>(what: string, looking: Promise<C | null>): Promise<C | null> {
  try {
    return await looking
  } catch (cause) {
    throw new StoreUnavailable(`look up ${what}`, { cause })
  }
}

function bearer(headers: Headers): string {
  const authorization = headers.get('authorization')
  if (authorization === null) throw new Failure('missing_credential', { kind: 'sk_...' })
  // The values of a repeated header arrive joined by a comma, which no token contains.
  const secret = /^bearer +(\S+)$/i.exec(authorization)?.[1]
  for (const name of ['x-api-key', 'api-key']) {
    const apiKey = headers.get(name)
    if (apiKey !== null && apiKey !== secret) throw new Failure('conflicting_credentials')
  }
  if (secret === undefined) throw new Failure('invalid_token')
  return secret
}
