import * as z from 'zod'
import { awsKeysOf } from '#domain/accounts/aws-credential.ts'
import type { Provider } from '#domain/records.ts'
import type { Context } from '#operations/kernel/context.ts'

/** The API key of an account, as providers.connect and providers.rotate accept it. */
export const ApiKey = z
  .string()
  .min(1)
  .max(4096)
  // A header value (RFC 9110 5.5) without spaces, because pasted keys often end in one.
  .regex(/^[\x21-\x7e]+$/, { error: 'must be printable ASCII without spaces' })

type Credential = Pick<Provider, 'sealedCredential' | 'lastFour' | 'credentialSetAtMs'>

export const noCredential: Credential = { sealedCredential: null, lastFour: null, credentialSetAtMs: null }

/** Returns the stored credential of an account unchanged. */
export function credentialOf({
  credentialSetAtMs,
  lastFour,
  sealedCredential: sealed,
}: Provider): Credential {
  return { sealedCredential: sealed, lastFour, credentialSetAtMs }
}

/** Returns the API key as it is stored: sealed for this account, with the part of it that may be shown. */
export function sealedCredential(
  apiKey: string,
  { id, organizationId }: Pick<Provider, 'id' | 'organizationId'>,
  { nowMs, ports }: Pick<Context, 'nowMs' | 'ports'>,
): Credential {
  return {
    sealedCredential: ports.seal(apiKey, { organizationId, id }),
    lastFour: lastFourOf(awsKeysOf(apiKey)?.accessKeyId ?? apiKey),
    credentialSetAtMs: nowMs,
  }
}

/** Four characters would be most of a short key, and some servers accept any word as a key. */
function lastFourOf(apiKey: string): string {
  return apiKey.length >= 12 ? apiKey.slice(-4) : '****'
}
