import { Failure } from '#domain/errors.ts'
import { StoreUnavailable } from '#domain/ledger.ts'
import { parseSecret } from '#domain/secret.ts'
import { sha256 } from '#domain/sha256.ts'
import type { Organization, Token } from '#domain/records.ts'
import type { Store } from '#domain/store.ts'

export interface Caller {
  readonly organization: Organization
  readonly token: Token
}

/**
 * Who a control-plane request comes from. What kind of credential it carries and whether it is well
 * formed is decided from the text alone, before any look-up; unknown, malformed and revoked tokens
 * are one answer, so that none of them can be told from another (docs/reference/threats.md
 * "One answer to every wrong key").
 * @param gateway where gateways answer, told to a caller with a gateway's key
 * @throws Failure with one of five codes; there is no default identity
 */
export async function authenticate(headers: Headers, store: Store, gateway: () => string): Promise<Caller> {
  const secret = bearer(headers)
  if (secret.startsWith('ak_')) throw new Failure('wrong_credential_kind', { here: controlPlane(gateway()) })
  if (parseSecret(secret)?.kind !== 'sk') throw new Failure('invalid_token')
  const caller = await callerOf(sha256(secret), store)
  if (!caller) throw new Failure('invalid_token')
  return caller
}

/** What this is, and where the other is that was meant. */
export function controlPlane(gateway: string): string {
  return `the control plane, and models are called at ${gateway}, or at the field localGateway of GET /v1/apps`
}

async function callerOf(hash: string, store: Store): Promise<Caller | null> {
  try {
    const token = await store.read.tokens.byHash(hash)
    if (!token || token.revokedAtMs !== null) return null
    const organization = await store.read.organizations.byId(token.organizationId)
    return organization && { organization, token }
  } catch (cause) {
    // Not being able to look is not the same as not finding: the token may be right
    // (docs/reference/threats.md "A check that cannot be made").
    throw new StoreUnavailable('look up a token', { cause })
  }
}

function bearer(headers: Headers): string {
  const authorization = headers.get('authorization')
  const apiKey = headers.get('x-api-key')
  if (authorization === null) throw new Failure('missing_credential', { kind: 'CUSTOMER_TOKEN' })
  // A header sent twice arrives joined by a comma, which no token has.
  const secret = /^bearer +(\S+)$/i.exec(authorization)?.[1]
  if (apiKey !== null && apiKey !== secret) throw new Failure('conflicting_credentials')
  if (secret === undefined) throw new Failure('invalid_token')
  return secret
}
