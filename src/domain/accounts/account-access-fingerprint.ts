import type { ProviderAccount } from '#domain/application-config.ts'

/**
 * Returns the address and the credential of an account as one text. The text changes if the address or the
 * credential changes. The encrypted text of a credential is different each time the credential is set.
 */
export function accessOf({
  baseUrl,
  kind,
  sealedCredential,
}: Pick<ProviderAccount, 'baseUrl' | 'kind' | 'sealedCredential'>): string {
  return `${kind} ${baseUrl ?? ''} ${sealedCredential ?? ''}`
}
