import type { Credit } from '#domain/records.ts'
import type { Corrections } from '#domain/store.ts'
import type { Query } from '#store/sql/database.ts'
import { ledgerEntryId } from '#store/rows/entry-id.ts'

export function corrections(query: Query): Corrections {
  return {
    async credit(endUserId, mode, id) {
      const row = await query
        .selectFrom('ledger as l')
        .innerJoin('grants as g', (join) =>
          join.onRef('g.application_id', '=', 'l.application_id').on('g.id', '=', id),
        )
        .select([
          'l.sequence',
          'l.amount',
          'l.balance_after',
          'g.kind',
          'g.reason',
          'g.payment_reference',
          'g.created_at_ms',
        ])
        .where('l.end_user_id', '=', endUserId)
        .where('l.mode', '=', mode)
        .where('l.idempotency_key', '=', id)
        .executeTakeFirst()
      if (row === undefined || (row.kind !== 'topup' && row.kind !== 'adjustment')) return null
      return {
        id,
        endUserId,
        kind: row.kind,
        amountMicros: row.amount,
        reason: row.reason,
        paymentReference: row.payment_reference,
        entryId: ledgerEntryId(row.sequence),
        balanceAfterMicros: row.balance_after,
        createdAtMs: row.created_at_ms,
      } satisfies Credit
    },
  }
}
