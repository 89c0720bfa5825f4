import type { EnabledEmitter } from '#domain/emitters/emitter-records-and-ports.ts'

export interface EmitterSecrets {
  readonly current: string
  /** The previous signing secret during the grace period of a rotation, otherwise null. */
  readonly former: string | null
}

/** @throws if the master key cannot decrypt the secret */
export type OpenSecret = (sealed: string, emitter: Pick<EnabledEmitter, 'id' | 'organizationId'>) => string

/** @throws if the master key cannot decrypt the secrets */
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
