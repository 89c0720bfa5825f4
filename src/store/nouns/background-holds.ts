import type { Account } from '#domain/billing/money-account-key.ts'
import type { ProviderAccount } from '#domain/application-config.ts'
import type {
  BackgroundCall,
  BackgroundHolds,
  OpenBatch,
} from '#domain/background/background-holds-interface.ts'
import { heldTargetFromText } from '#store/rows/held-target-column.ts'
import { holdsInSlots, openHold } from '#store/rows/read-rows-of-open-holds.ts'
import { boundFromText, quoteFromText, targetFromText, usageFromText } from '#store/rows/json-columns.ts'
import { isPostgres, type Database, type Query } from '#store/sql/database-interface.ts'
import { fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { HoldRow } from '#store/sql/schema.ts'
import type { Quote } from '#money/decision-types.ts'
import { first } from './read-rows-and-pages.ts'

/** @param epoch the epoch of this process */
export function sqlBackgroundHolds({ read }: Database, epoch: number): BackgroundHolds {
  const ownRows = (): Promise<HoldRow[]> =>
    read.selectFrom('holds').selectAll().where('epoch', '=', epoch).execute()
  const rowsOfOwner = ({ applicationId, endUserId, mode }: Account): Promise<HoldRow[]> =>
    isPostgres(read)
      ? read
          .selectFrom('holds')
          .selectAll()
          .where('application_id', '=', applicationId)
          .where('end_user_id', '=', endUserId)
          .where('mode', '=', mode)
          .execute()
      : holdsInSlots(
          read,
          { applicationId, callId: null, limit: Infinity },
          (call) => call.end_user_id === endUserId && call.mode === mode,
        )
  return {
    async find(owner, callId) {
      // PostgreSQL has no index by the call alone (migration 24), so it would read all holds of the application.
      const row = await openHold(read, owner, callId, owner.endUserId)
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
      const rows = await ownRows()
      const single = rows.filter(({ target }) => heldTargetFromText(target).background?.batched === undefined)
      const calls = await Promise.all(single.map((row) => callOf(read, row)))
      return calls.filter((call) => call !== null)
    },
    async ownBatches() {
      const open = new Map<string, OpenBatch & { readonly callIds: string[] }>()
      for (const row of await ownRows()) {
        const { background, targetText } = heldTargetFromText(row.target)
        if (background?.batched === undefined) continue
        const { application_id, call_id, end_user_id, mode } = row
        const { accountId } = targetFromText(targetText)
        const { batched, deadlineMs, id: providerId } = background
        const format = batched.wire === 'messages' ? 'anthropic' : 'openai'
        const key = JSON.stringify([end_user_id, mode, accountId, providerId])
        const known = open.get(key)
        if (known) known.callIds.push(call_id)
        else {
          const owner = fieldsOf({ application_id, end_user_id, mode })
          open.set(key, { ...owner, accountId, format, providerId, deadlineMs, callIds: [call_id] })
        }
      }
      return [...open.values()]
    },
    async ofBatch(batch) {
      const { accountId, providerId } = batch
      const rows = (await rowsOfOwner(batch)).filter(({ target }) => {
        const { background, targetText } = heldTargetFromText(target)
        const isOfBatch = background?.batched !== undefined && background.id === providerId
        return isOfBatch && targetFromText(targetText).accountId === accountId
      })
      // Read each quote once, because most requests of a batch have the same quote.
      const quotes = new Map<string, Promise<Quote>>()
      const calls = await Promise.all(rows.map((row) => callOf(read, row, quotes)))
      return calls.filter((call) => call !== null)
    },
    async batched(owner) {
      const rows = await rowsOfOwner(owner)
      return rows.filter(({ target }) => heldTargetFromText(target).background?.batched !== undefined).length
    },
  }
}

async function callOf(
  query: Query,
  row: HoldRow,
  quotes = new Map<string, Promise<Quote>>(),
): Promise<BackgroundCall | null> {
  const { background } = heldTargetFromText(row.target)
  if (background === null) return null
  let quote = quotes.get(row.quote_id)
  if (quote === undefined) quotes.set(row.quote_id, (quote = quoteOf(query, row.quote_id)))
  const { application_id, call_id, end_user_id, input_estimate, key_id, mode, reserved_at_ms } = row
  return {
    ...fieldsOf({ application_id, call_id, end_user_id, input_estimate, key_id, mode, reserved_at_ms }),
    response: background,
    quote: await quote,
    bound: boundFromText(row.bound),
    target: targetFromText(row.target),
    checkpoint: row.checkpoint === null ? null : usageFromText(row.checkpoint),
  }
}

async function quoteOf(query: Query, id: string): Promise<Quote> {
  const { body } = await query
    .selectFrom('quotes')
    .select('body')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return quoteFromText(id, body)
}
