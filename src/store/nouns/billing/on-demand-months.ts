import { monthEndMs } from '#money/invoice.ts'
import { sourceOfMonth, type OnDemandMonths } from '#domain/billing/on-demand-months.ts'
import { isPostgres, type Query } from '#store/sql/database-interface.ts'
import { every } from '#store/nouns/read-rows-and-pages.ts'

export function onDemandMonths(query: Query): OnDemandMonths {
  return {
    async lock(endUserId) {
      // SQLite has only one writer, so no lock is needed. On PostgreSQL, the ledger takes the same lock before it reads
      // (postgres/batch-engine.ts).
      if (!isPostgres(query)) return
      const own = query.selectFrom('end_users').select('id').where('id', '=', endUserId)
      await own.forNoKeyUpdate().execute()
    },
    unclosed: (endUserId, mode, closedUntilMs) =>
      every(
        query
          .selectFrom('sources')
          .select(['id', 'posted', 'held', 'starts_at_ms'])
          .where('end_user_id', '=', endUserId)
          .where('mode', '=', mode)
          .where('kind', '=', 'on_demand')
          .where('ends_at_ms', '>', closedUntilMs)
          .orderBy('starts_at_ms'),
        ({ held, id, posted, starts_at_ms }) => {
          const startsAtMs = starts_at_ms ?? 0
          return {
            name: id.replace(sourceOfMonth(''), ''),
            startsAtMs,
            endsAtMs: monthEndMs(startsAtMs),
            amountMicros: -posted,
            heldMicros: held,
          }
        },
      ),
    async put({ endUserId, mode }, invoiceId, months) {
      if (months.length === 0) return
      const rows = months.map(({ amountMicros, name }) => ({
        end_user_id: endUserId,
        mode,
        source_id: sourceOfMonth(name),
        invoice_id: invoiceId,
        amount_micros: amountMicros,
        reason: null,
        entry: null,
      }))
      await query
        .insertInto('on_demand_months')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .columns(['end_user_id', 'mode', 'source_id'])
            .doUpdateSet({ invoice_id: invoiceId, reason: null }),
        )
        .execute()
    },
    async setCleared(invoiceId, reason) {
      await query
        .updateTable('on_demand_months')
        .set({ reason })
        .where('invoice_id', '=', invoiceId)
        .where('reason', 'is', null)
        .execute()
    },
    unwritten: (invoiceId, limit) =>
      every(
        query
          .selectFrom('on_demand_months as m')
          .innerJoin('invoices as i', 'i.id', 'm.invoice_id')
          .innerJoin('applications as p', 'p.id', 'i.application_id')
          .select(['m.end_user_id', 'm.mode', 'm.source_id', 'm.invoice_id', 'm.amount_micros', 'm.reason'])
          .select('p.test_clock_offset_ms')
          .where('m.reason', 'is not', null)
          .where('m.entry', 'is', null)
          .$if(invoiceId !== null, (some) => some.where('m.invoice_id', '=', invoiceId ?? ''))
          .orderBy('m.end_user_id')
          .limit(limit),
        (row) => ({
          endUserId: row.end_user_id,
          mode: row.mode,
          sourceId: row.source_id,
          invoiceId: row.invoice_id,
          amountMicros: row.amount_micros,
          reason: row.reason ?? 'on_demand_paid',
          testClockOffsetMs: row.test_clock_offset_ms ?? 0,
        }),
      ),
  }
}
