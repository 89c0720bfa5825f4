import { nounOf } from '#operations/index.ts'
import type { Operation } from '#operations/operation.ts'

/** Whether the host of a portal serves it too. */
export function isOfPortal(operation: Operation): boolean {
  return operation.scope === 'end_user' || (operation.scope === 'public' && nounOf(operation) === 'portal')
}
