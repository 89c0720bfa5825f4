import type { Mode } from '#domain/application-config.ts'
import type { CallHold, CallSettlement, CallStory } from '#domain/calls/call-record.ts'
import type { Requests } from '#domain/store-interface.ts'
import { fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import { paidIn } from '#store/sql/sql-of-figure-columns.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { openHold } from '#store/rows/read-rows-of-open-holds.ts'
import { boundFromText, quoteFromText, targetFromText, usageFromText } from '#store/rows/json-columns.ts'
import { legsFromText } from '#store/rows/legs-column.ts'
import type { HoldRow, UsageRecordRow } from '#store/sql/schema.ts'
import {
  chargedCallOf,
  chargedRows,
  isDisputedIn,
  openCallOf,
  unchargedCallOf,
  unchargedIn,
  unchargedRows,
} from './read-call-records.ts'
import { listRequests } from './request-list.ts'

export function requests(query: Query): Requests {
  return {
    list: (applicationId, mode, filter, page) => listRequests(query, applicationId, mode, filter, page),
    async story(applicationId, mode, callId) {
      // Search ended calls again after the calls in flight, because a call may end between the first two reads.
      const ended = (): Promise<CallStory | null> => endedStory(query, applicationId, mode, callId)
      return (await ended()) ?? (await openStory(query, applicationId, mode, callId)) ?? ended()
    },
  }
}

async function endedStory(
  query: Query,
  applicationId: string,
  mode: Mode,
  callId: string,
): Promise<CallStory | null> {
  const used = await chargedRows(query, applicationId, mode)
    .innerJoin('quotes', 'quotes.id', 'usage_records.quote_id')
    .select('quotes.body')
    .where('usage_records.call_id', '=', callId)
    .executeTakeFirst()
  if (used)
    return { call: chargedCallOf(used), trace: used.trace, hold: null, settlement: settlementOf(used) }
  const [row] = await unchargedRows(
    query,
    unchargedIn(query, applicationId, mode).where('requests.call_id', '=', callId),
  )
  return row ? { call: unchargedCallOf(row), trace: row.trace, hold: null, settlement: null } : null
}

async function openStory(
  query: Query,
  applicationId: string,
  mode: Mode,
  callId: string,
): Promise<CallStory | null> {
  const hold = await openHold(query, { applicationId, mode }, callId, null)
  if (hold === undefined) return null
  const names = await query
    .selectFrom('end_users')
    .innerJoin('quotes', (on) => on.on('quotes.id', '=', hold.quote_id))
    .select(['end_users.external_id', 'quotes.body'])
    .where('end_users.id', '=', hold.end_user_id)
    .executeTakeFirstOrThrow()
  const held = { ...hold, ...names }
  return { call: openCallOf(held), trace: null, hold: holdOf(held), settlement: null }
}

function holdOf(row: HoldRow & { body: string }): CallHold {
  const { worst_micros, worst_credits, reserved_at_ms, dispatched_at_ms, input_estimate } = row
  return {
    quote: quoteFromText(row.quote_id, row.body),
    bound: boundFromText(row.bound),
    legs: legsFromText(row.legs),
    checkpoint: row.checkpoint === null ? null : usageFromText(row.checkpoint),
    target: targetFromText(row.target),
    ...fieldsOf({ worst_micros, worst_credits, reserved_at_ms, dispatched_at_ms, input_estimate }),
  }
}

function settlementOf(row: UsageRecordRow & { body: string }): CallSettlement {
  const { cost_micros, billed_micros, charge_micros, over_hold_micros, worst_micros } = row
  const { token_source, outcome_slug, run_id, settled_at_ms } = row
  return {
    quote: quoteFromText(row.quote_id, row.body),
    usage: usageFromText(row.usage),
    legs: legsFromText(row.legs),
    target: targetFromText(row.target),
    assumedMicros: row.assumed_micros ?? 0n,
    paid: paidIn(row),
    isDisputed: isDisputedIn(row),
    ...fieldsOf({ cost_micros, billed_micros, charge_micros, over_hold_micros, worst_micros }),
    ...fieldsOf({ token_source, outcome_slug, run_id, settled_at_ms }),
  }
}
