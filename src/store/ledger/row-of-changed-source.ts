import type { ChangedSource } from './state-types.ts'
import { type RowValue, sourceRow } from './rows-that-batch-inserts.ts'
import type { WriteKind } from './writes-of-batch.ts'

export function rowOfSource({ person, cell }: ChangedSource): [WriteKind, RowValue[]] {
  const { source, lastEntry } = cell
  const { id, posted, held } = source
  const { endUserId, mode } = person
  if (cell.isNew) return ['source', sourceRow.values(person, cell)]
  if (source.kind === 'pool') {
    const { withheld, expired } = source
    return ['pool_changed', [posted, held, lastEntry, withheld, expired, endUserId, mode, id]]
  }
  if (source.kind === 'wallet')
    return ['wallet_changed', [posted, held, lastEntry, source.given, endUserId, mode, id]]
  return ['source_changed', [posted, held, lastEntry, endUserId, mode, id]]
}
