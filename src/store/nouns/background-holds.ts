import type { ProviderAccount } from '#domain/application-config.ts'
import type { BackgroundCall, BackgroundHolds } from '#domain/background/background-calls.ts'
import { heldTargetFromText } from '#store/rows/held-target.ts'
import { holdsInSlots } from '#store/rows/hold-slots.ts'
import { boundFromText, quoteFromText, targetFromText, usageFromText } from '#store/rows/json-columns.ts'
import { isPostgres, type Database, type Query } from '#store/sql/database.ts'
import { fieldsOf } from '#store/sql/columns.ts'
import type { HoldRow } from '#store/sql/schema.ts'
import { first } from './paging.ts'

/** @param epoch the epoch of this process */
export function sqlBackgroundHolds({ read }: Database, epoch: number): BackgroundHolds {
  return {
    async find(applicationId, mode, callId) {
      const [row] = isPostgres(read)
        ? await read
            .selectFrom('holds')
            .selectAll()
            .where('application_id', '=', applicationId)
            .where('mode', '=', mode)
            .where('call_id', '=', callId)
            .execute()
        : await holdsInSlots(read, { applicationId, callId, limit: 1 }, (call) => call.mode === mode)
      return row === undefined ? null : callOf(read, row)
    },
    account: (accountId) =>
      first(
        read
          .selectFrom('provider_accounts')
          .select([
            'id',
            'organization_id',
            'label',
            'kind',
            'base_url',
            'sealed_credential',
            'on_client_left',
          ])
          .where('id', '=', accountId),
        (row): ProviderAccount => fieldsOf(row),
      ),
    async own() {
      const rows = await read.selectFrom('holds').selectAll().where('epoch', '=', epoch).execute()
      const calls = await Promise.all(rows.map((row) => callOf(read, row)))
      return calls.filter((call) => call !== null)
    },
  }
}

async function callOf(query: Query, row: HoldRow): Promise<BackgroundCall | null> {
  const { background } = heldTargetFromText(row.target)
  if (background === null) return null
  const { body } = await query
    .selectFrom('quotes')
    .select('body')
    .where('id', '=', row.quote_id)
    .executeTakeFirstOrThrow()
  const { application_id, call_id, end_user_id, input_estimate, key_id, mode, reserved_at_ms } = row
  return {
    ...fieldsOf({ application_id, call_id, end_user_id, input_estimate, key_id, mode, reserved_at_ms }),
    response: background,
    quote: quoteFromText(row.quote_id, body),
    bound: boundFromText(row.bound),
    target: targetFromText(row.target),
    checkpoint: row.checkpoint === null ? null : usageFromText(row.checkpoint),
  }
}
