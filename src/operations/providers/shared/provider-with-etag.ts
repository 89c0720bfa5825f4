import { sha256 } from '#domain/secrets/sha256.ts'
import { ownProvider, withState } from '#operations/kernel/find-resources-of-caller.ts'
import { isoOf } from '#operations/kernel/value-and-page-schemas.ts'
import { providerSettings } from './provider-view.ts'

/**
 * The credential is encrypted anew each time it is set, so a hash of the encrypted text shows the change without
 * revealing the credential.
 */
export const providerWithEtag = withState(ownProvider, async (provider, context) => ({
  ...(await providerSettings(provider, context)),
  credentialSetAt: isoOf(provider.credentialSetAtMs),
  createdAt: isoOf(provider.createdAtMs),
  credential: provider.sealedCredential && sha256(provider.sealedCredential),
}))
