import type { BodyOwner } from '#gateway/overload/limit-memory-of-bodies.ts'
import type { Caller } from './authenticate-caller.ts'

/**
 * Returns whose share of the memory for request bodies this request uses. A request without a credential has a small
 * body, which uses no caller's share.
 */
export function ownerOf(caller: Caller | null): BodyOwner {
  return {
    keyId: caller?.actor.id ?? 'public',
    applicationId: caller?.kind === 'portal' ? caller.application.id : 'control plane',
    organizationId: caller?.organization.id ?? 'public',
  }
}
