import * as z from 'zod'
import { awsKeysOf } from '#domain/accounts/aws-credential.ts'
import type { Provider } from '#domain/records.ts'
import type { Context } from '#operations/kernel/context.ts'

/** The API key of an account, in the form that providers.connect and providers.rotate accept. */
export const ApiKey = z
  .string()
  .min(1)
  .max(4096)
  // A header value (RFC 9110 5.5) without spaces at its end, because pasted keys often have one.
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

/** Returns the API key as it is stored: encrypted for this account, with the part of it that may be shown. */
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

/**
 * Do not show four characters of a short key, because they would be most of it. Some servers accept any word as a key.
 */
function lastFourOf(apiKey: string): string {
  return apiKey.length >= 12 ? apiKey.slice(-4) : '****'
}
