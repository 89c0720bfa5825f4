import * as z from 'zod'
import { credentialForm } from '#domain/accounts/credential-format-by-account-kind.ts'
import type { ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { Provider } from '#domain/accounts/provider-account-record.ts'
import type { Context } from '#operations/kernel/operation-context.ts'
import type { Ports } from '#operations/kernel/dependencies-of-operations.ts'
import { addressFault } from './provider-address-fault.ts'

/** `credentialFault` checks the rules of each kind of account. */
export const ApiKey = z
  .string()
  .min(1)
  .max(16_384)
  .regex(/^[\t\n\r\x20-\x7e]+$/, { error: 'must be printable ASCII' })

type Credential = Pick<Provider, 'sealedCredential' | 'lastFour' | 'credentialSetAtMs'>

export const noCredential: Credential = { sealedCredential: null, lastFour: null, credentialSetAtMs: null }

export function credentialOf({
  credentialSetAtMs,
  lastFour,
  sealedCredential: sealed,
}: Provider): Credential {
  return { sealedCredential: sealed, lastFour, credentialSetAtMs }
}

export function credentialFault(
  kind: ProviderKind,
  apiKey: string,
  ports: Pick<Ports, 'allowPrivateProviders' | 'isOwnUrl'>,
): string | null {
  const form = credentialForm(kind)
  const fault = form.fault(apiKey)
  const url = fault === null ? form.url(apiKey) : null
  const unusable = url === null ? null : addressFault(url, ports)
  return unusable === null ? fault : `The URL in apiKey cannot be used: ${unusable}.`
}

export function sealedCredential(
  kind: ProviderKind,
  apiKey: string,
  { id, organizationId }: Pick<Provider, 'id' | 'organizationId'>,
  { nowMs, ports }: Pick<Context, 'nowMs' | 'ports'>,
): Credential {
  return {
    sealedCredential: ports.seal(apiKey, { organizationId, id }),
    lastFour: lastFourOf(credentialForm(kind).shown(apiKey)),
    credentialSetAtMs: nowMs,
  }
}

/** Asterisks for a short key, of which four characters would be a large part. Some servers accept any word as a key. */
function lastFourOf(apiKey: string): string {
  return apiKey.length >= 12 ? apiKey.slice(-4) : '****'
}
