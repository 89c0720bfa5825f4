import type { Failure } from '#domain/errors.ts'
import type { Refusal } from '#domain/rejected-request-facts.ts'
import type { Client } from '#operations/kernel/operation-context.ts'
import type { Caller } from './authenticate-caller.ts'

export function refusalOf(
  { code, status }: Failure,
  of: {
    readonly requestId: string
    readonly operation: string | null
    readonly client: Client
    readonly portalOf: string | null
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
