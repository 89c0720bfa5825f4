import { sha256 } from '#domain/secrets/sha256.ts'
import { ownEmitter, withState } from '#operations/kernel/find-resources-of-caller.ts'
import { isoOf } from '#operations/kernel/value-and-page-schemas.ts'
import { settingsOf } from './emitter-view.ts'

/**
 * Excludes the emitter's counts, which deliveries change. The secret is encrypted anew each time it is set, so a hash
 * of the encrypted text shows the change without revealing the secret.
 */
export const emitterWithEtag = withState(ownEmitter, (emitter) => ({
  ...settingsOf(emitter),
  previousSecretEndsAt: isoOf(emitter.formerSecretEndsAtMs),
  createdAt: isoOf(emitter.createdAtMs),
  secret: sha256(emitter.sealedSecret),
}))
