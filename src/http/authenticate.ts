import { type Actor, type EndUserActor, tokenActor } from '#domain/actor.ts'
import { Failure } from '#domain/errors.ts'
import { StoreUnavailable } from '#domain/ledger.ts'
import { parseSecret } from '#domain/secret.ts'
import { sha256 } from '#domain/sha256.ts'
import type { PortalSession } from '#domain/portal.ts'
import type { Application, EndUser, Organization } from '#domain/records.ts'
import type { Store } from '#domain/store.ts'

/** Somebody who is known: of the customer's team, or a person who is signed in at a portal. */
export type Caller = TeamCaller | PortalCaller

export interface TeamCaller {
  readonly kind: 'team'
  readonly organization: Organization
  readonly actor: Actor
}

export interface PortalCaller {
  readonly kind: 'portal'
  readonly organization: Organization
  readonly actor: EndUserActor
  readonly application: Application
  readonly endUser: EndUser
  readonly session: PortalSession
}

/**
 * The caller of a control-plane request. The text alone decides the kind of credential and whether it is well
 * formed, before any look-up; unknown, malformed and revoked tokens get the same answer, so that a caller
 * cannot tell them apart (docs/reference/threats.md "One answer to every wrong key").
 * @param gateway the address of gateways, for a caller with a gateway's key
 * @throws Failure with one of five codes; there is no default identity
 */
export async function authenticate(
  headers: Headers,
  store: Store,
  gateway: () => string,
): Promise<TeamCaller> {
  const secret = bearer(headers)
  if (secret.startsWith('ps_')) {
    const here = 'an operation of the customer, and a portal session may call those of /v1/portal alone'
    throw new Failure('wrong_credential_kind', { here })
  }
  if (secret.startsWith('ak_')) throw new Failure('wrong_credential_kind', { here: controlPlane(gateway()) })
  if (parseSecret(secret)?.kind !== 'sk') throw new Failure('invalid_token')
  const caller = await callerOf(sha256(secret), store)
  if (!caller) throw new Failure('invalid_token')
  return caller
}

/** Names this plane, and the address of the gateway. */
export function controlPlane(gateway: string): string {
  return `the control plane, and models are called at ${gateway}, or at the field localGateway of GET /v1/apps`
}

async function callerOf(hash: string, store: Store): Promise<TeamCaller | null> {
  try {
    const token = await store.read.tokens.byHash(hash)
    if (!token || token.revokedAtMs !== null) return null
    const organization = await store.read.organizations.byId(token.organizationId)
    return organization && { kind: 'team', organization, actor: tokenActor(token) }
  } catch (cause) {
    // A failed look-up does not make the token wrong (docs/reference/threats.md "A check that cannot be made").
    throw new StoreUnavailable('look up a token', { cause })
  }
}

function bearer(headers: Headers): string {
  const authorization = headers.get('authorization')
  const apiKey = headers.get('x-api-key')
  if (authorization === null) throw new Failure('missing_credential', { kind: 'CUSTOMER_TOKEN' })
  // A repeated header arrives joined by a comma, which no token has.
  const secret = /^bearer +(\S+)$/i.exec(authorization)?.[1]
  if (apiKey !== null && apiKey !== secret) throw new Failure('conflicting_credentials')
  if (secret === undefined) throw new Failure('invalid_token')
  return secret
}
