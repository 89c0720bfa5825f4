import { nounOf } from '#operations/kernel/list-of-nouns.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'

export function isOfPortal(operation: Operation): boolean {
  return operation.scope === 'end_user' || (operation.scope === 'public' && nounOf(operation) === 'portal')
}
