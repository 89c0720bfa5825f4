import { nounOf } from '#operations/kernel/nouns.ts'
import type { Operation } from '#operations/kernel/operation.ts'

/** Returns whether a portal's host serves the operation too. */
export function isOfPortal(operation: Operation): boolean {
  return operation.scope === 'end_user' || (operation.scope === 'public' && nounOf(operation) === 'portal')
}
