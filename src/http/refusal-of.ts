import type { Failure } from '#domain/errors.ts'
import type { Refusal } from '#domain/refusals.ts'
import type { Client } from '#operations/context.ts'
import type { Caller } from './authenticate.ts'

/** What is noted of a rejected request. */
export function refusalOf(
  { code, status }: Failure,
  of: {
    readonly requestId: string
    /** Null: the path has none. */
    readonly operation: string | null
    readonly client: Client
    /** Null: it came to the control plane. */
    readonly portalOf: string | null
    /** Null: not known. */
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
