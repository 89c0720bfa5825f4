import type { EnabledEmitter } from '#domain/emitters.ts'

/** What deliveries are signed with, or sent with. */
export interface EmitterSecrets {
  readonly current: string
  /** The signing secret before, while a rotation overlaps. */
  readonly former: string | null
}

/** @throws when the master key does not open it */
export type OpenSecret = (sealed: string, emitter: Pick<EnabledEmitter, 'id' | 'organizationId'>) => string

/** @throws as `openSecret` */
export function secretsOf(
  emitter: Pick<
    EnabledEmitter,
    'id' | 'organizationId' | 'sealedSecret' | 'formerSealedSecret' | 'formerSecretEndsAtMs'
  >,
  { nowMs, openSecret }: { readonly nowMs: () => number; readonly openSecret: OpenSecret },
): EmitterSecrets {
  const { formerSealedSecret, formerSecretEndsAtMs, sealedSecret } = emitter
  const isOverlap = formerSecretEndsAtMs !== null && nowMs() < formerSecretEndsAtMs
  return {
    current: openSecret(sealedSecret, emitter),
    former: isOverlap && formerSealedSecret !== null ? openSecret(formerSealedSecret, emitter) : null,
  }
}
