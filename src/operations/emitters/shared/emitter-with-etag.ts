import { sha256 } from '#domain/secrets/sha256.ts'
import { ownEmitter, withState } from '#operations/kernel/find-resources-of-caller.ts'
import { isoOf } from '#operations/kernel/value-and-page-schemas.ts'
import { settingsOf } from './emitter-view.ts'

/**
 * The ETag does not cover the emitter's counts, because deliveries change the counts. The ETag covers the secret
 * through a hash of its encrypted text. The secret is encrypted anew each time it is set, so a new hash shows that the
 * secret was set.
 */
export const emitterWithEtag = withState(ownEmitter, (emitter) => ({
  ...settingsOf(emitter),
  previousSecretEndsAt: isoOf(emitter.formerSecretEndsAtMs),
  createdAt: isoOf(emitter.createdAtMs),
  secret: sha256(emitter.sealedSecret),
}))
