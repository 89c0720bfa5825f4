import type { Failure } from '#domain/errors.ts'
import type { Refusal } from '#domain/rejected-request-facts.ts'
import type { Client } from '#operations/kernel/operation-context.ts'
import type { Caller } from './authenticate-caller.ts'

/** Returns the facts about a rejected request that are counted and logged. */
export function refusalOf(
  { code, status }: Failure,
  of: {
    readonly requestId: string
    /** ID of the requested operation. Null if the path has no operation. */
    readonly operation: string | null
    readonly client: Client
    /** The application whose portal received the request. Null for the control plane. */
    readonly portalOf: string | null
    /** Null if the caller is not known. */
    readonly caller: Caller | null
  },
): Refusal {
  const { caller, client, operation, portalOf, requestId } = of
  return {
    plane: portalOf === null ? 'control' : 'portal',
    operation: operation ?? 'none',
    status,
    code,
    address: client.address === '' ? null : client.address,
    credentialId: caller && (caller.kind === 'team' ? caller.actor.credentialId : caller.session.id),
    requestId,
  }
}
