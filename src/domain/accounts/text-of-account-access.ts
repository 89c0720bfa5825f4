import type { ProviderAccount } from '#domain/application-config.ts'

/**
 * Returns the address and the credential of an account as one text. If the same credential is set again, its encrypted
 * text differs, so the returned text also changes.
 */
export function accessOf({
  baseUrl,
  kind,
  sealedCredential,
}: Pick<ProviderAccount, 'baseUrl' | 'kind' | 'sealedCredential'>): string {
  return `${kind} ${baseUrl ?? ''} ${sealedCredential ?? ''}`
}
