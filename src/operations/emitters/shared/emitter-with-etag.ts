import { sha256 } from '#domain/secrets/sha256.ts'
import { ownEmitter, withState } from '#operations/kernel/find-resources-of-caller.ts'
import { isoOf } from '#operations/kernel/value-schemas.ts'
import { settingsOf } from './emitter-view.ts'

/**
 * An emitter that clients can protect from concurrent changes with If-Match. The ETag does not cover the emitter's
 * counts, because they change without a change of its settings. The ETag covers the secret through a hash of its
 * encrypted text. The secret is encrypted anew each time it is set, so the hash shows each change without revealing the
 * secret.
 */
export const emitterWithEtag = withState(ownEmitter, (emitter) => ({
  ...settingsOf(emitter),
  previousSecretEndsAt: isoOf(emitter.formerSecretEndsAtMs),
  createdAt: isoOf(emitter.createdAtMs),
  secret: sha256(emitter.sealedSecret),
}))
