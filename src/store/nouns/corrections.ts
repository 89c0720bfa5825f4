import { correctedNames } from '#domain/sums-of-request-figures.ts'
import { sql } from 'kysely'
import type { CallCorrection, CorrectionSums } from '#domain/billing/call-correction-record.ts'
import type { Credit, GrantReversal } from '#domain/billing/grants-and-balance-changes.ts'
import type { Corrections } from '#domain/billing/corrections-interface.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { ledgerEntryId } from '#store/rows/ledger-entry-id.ts'
import { numbersFromText } from '#store/rows/json-columns.ts'
import { legsFromText } from '#store/rows/legs-column.ts'
import { correctedColumns, figuresIn, summed } from '#store/sql/sql-of-figure-columns.ts'
import { type Columns, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { CallCorrectionRow } from '#store/sql/schema.ts'
import { every, first } from './read-rows-and-pages.ts'

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
    async ofCalls(applicationId, callIds) {
      if (callIds.length === 0) return []
      return every(
        query
          .selectFrom('call_corrections')
          .selectAll()
          .where('application_id', '=', applicationId)
          .where('call_id', 'in', callIds)
          .orderBy('call_id')
          .orderBy('number'),
        correctionOf,
      )
    },
    async sums({ applicationId, by, endUserId, fromDay, mode, toDay }) {
      const name = by === null ? sql`NULL` : sql`CAST(${sql.ref(columns[by])} AS TEXT)`
      const ofPerson = endUserId === null ? sql`` : sql`AND end_user_id = ${endUserId}`
      const { rows } = await sql<SumRow>`
        SELECT ${name} AS name, ${sql.raw(summed(correctedColumns))},
          sum(CASE WHEN paid_plan_micros IS NULL THEN charge_micros ELSE 0 END) AS unattributed_micros
        FROM call_corrections
        WHERE application_id = ${applicationId} AND mode = ${mode} AND day >= ${fromDay} AND day < ${toDay}
          ${ofPerson}
        GROUP BY 1 HAVING count(*) > 0 ORDER BY 1`.execute(query)
      return rows.map(({ name: group, ...row }) => ({ group, ...fieldsOf(row) }))
    },
    async reversals(applicationId, grantIds) {
      if (grantIds.length === 0) return []
      return every(
        reversalsOf(query, applicationId).where('g.reverses', 'in', grantIds).orderBy('g.id'),
        reversalOf,
      )
    },
    reversal: (applicationId, id) =>
      first(reversalsOf(query, applicationId).where('g.id', '=', id), reversalOf),
    async recipients(grant, endUserIds) {
      // Search each end user's entries separately. An index by grant would make every call write one more page.
      let people = query
        .selectFrom('end_users as u')
        .innerJoin('ledger as l', 'l.end_user_id', 'u.id')
        .select('u.id')
        .where('u.application_id', '=', grant.applicationId)
        .where('l.mode', '=', grant.mode)
        .where('l.idempotency_key', '=', grant.id)
        // All ledger entries of a grant have the same time, which selects their partition.
        .where('l.created_at_ms', '=', grant.createdAtMs)
        .orderBy('u.id')
      if (endUserIds !== null) people = people.where('u.id', 'in', endUserIds)
      return (await people.execute()).map(({ id }) => id)
    },
  }
}

const columns = {
  endUser: 'end_user_id',
  model: 'alias',
  bundle: 'bundle',
  key: 'key_id',
  provider: 'account_id',
  day: 'day',
  run: 'run_id',
} as const

interface SumRow extends Columns<CorrectionSums> {
  name: string | null
}

const correctedIn = figuresIn(correctedNames)

function correctionOf(row: CallCorrectionRow): CallCorrection {
  const { call_id, charge_micros, created_at_ms } = row
  const isSplit = row.paid_plan_micros !== null
  return {
    ...fieldsOf({ call_id, created_at_ms }),
    ...correctedIn(row),
    id: row.id,
    kind: row.kind,
    legs: legsFromText(row.legs),
    entryIds: numbersFromText(row.entries).map(ledgerEntryId),
    reason: row.reason,
    actor: row.actor,
    unattributedMicros: isSplit ? 0n : charge_micros,
  }
}

function reversalsOf(query: Query, applicationId: string) {
  return query
    .selectFrom('grants as g')
    .leftJoin('grant_reversals as r', (join) =>
      join.onRef('r.application_id', '=', 'g.application_id').onRef('r.id', '=', 'g.id'),
    )
    .select(['g.id', 'g.reverses', 'g.reason', 'g.end_users', 'g.pending', 'g.done', 'g.created_at_ms'])
    .select(['r.reversed_micros', 'r.end_users as reversed_end_users'])
    .where('g.application_id', '=', applicationId)
    .where('g.reverses', 'is not', null)
}

type ReversalRow = Awaited<ReturnType<ReturnType<typeof reversalsOf>['executeTakeFirstOrThrow']>>

function reversalOf(row: ReversalRow): GrantReversal {
  return {
    id: row.id,
    grantId: row.reverses ?? '',
    reason: row.reason,
    endUsers: row.end_users,
    done: row.pending === null ? row.end_users : (row.done ?? 0),
    reversedEndUsers: row.reversed_end_users ?? 0,
    reversedMicros: row.reversed_micros ?? 0n,
    createdAtMs: row.created_at_ms,
  }
}
