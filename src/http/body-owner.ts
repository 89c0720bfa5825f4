import type { BodyOwner } from '#gateway/arrive/body-intake.ts'
import type { Caller } from './authenticate.ts'

/** Whose share of the memory for bodies a request takes. Without a credential bodies are small, and count for no one. */
export function ownerOf(caller: Caller | null): BodyOwner {
  return {
    keyId: caller?.actor.id ?? 'public',
    applicationId: caller?.kind === 'portal' ? caller.application.id : 'control plane',
    organizationId: caller?.organization.id ?? 'public',
  }
}
