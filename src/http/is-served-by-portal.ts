import { nounOf } from '#operations/kernel/list-of-nouns.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'

/** Returns whether the portal's host also serves the operation. */
export function isOfPortal(operation: Operation): boolean {
  return operation.scope === 'end_user' || (operation.scope === 'public' && nounOf(operation) === 'portal')
}
