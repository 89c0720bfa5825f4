import type { ProviderAccount } from '#domain/application-config.ts'

/**
 * Returns the address and the credential of an account as one text, to notice that either has changed. The sealed
 * credential differs each time a credential is set.
 */
export function accessOf({
  baseUrl,
  kind,
  sealedCredential,
}: Pick<ProviderAccount, 'baseUrl' | 'kind' | 'sealedCredential'>): string {
  return `${kind} ${baseUrl ?? ''} ${sealedCredential ?? ''}`
}
