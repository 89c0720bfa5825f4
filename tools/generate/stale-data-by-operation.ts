/** A portal has only one noun, so every change makes all data of the portal outdated. */
import { staleAfter } from '#operations/kernel/list-of-nouns.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'

export function staleAfterTable(operations: readonly Operation[]): string {
  const rows = operations
    .filter(({ changes, scope }) => changes.length > 0 && scope !== 'end_user')
    .map(
      ({ changes, id }) =>
        `  '${id}': [${staleAfter(changes)
          .map((noun) => `'${noun}'`)
          .join(', ')}],`,
    )
  return `/**
 * Operation that changes data -> nouns whose responses are outdated after it. Written by npm run generate from
 * src/operations/kernel/list-of-nouns.ts and the operations.
 */
export const staleAfter: Readonly<Record<string, readonly string[]>> = {
${rows.join('\n')}
}
`
}
