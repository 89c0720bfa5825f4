/**
 * Reads calls in flight of the embedded store (written by sqlite/several-holds-per-row.ts) without the view `holds`.
 * The view computes eighteen columns of every call and looks up each call in `usage_records`. For two thousand calls,
 * the view takes a tenth of a second.
 */
import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Account } from '#domain/billing/money-account-key.ts'
import { isPostgres, type Query } from '#store/sql/database-interface.ts'
import type { HoldRow } from '#store/sql/schema.ts'

/** The call may have ended already: a charged call is removed only when its slot (row) is reused. */
interface SlotCall extends Pick<
  HoldRow,
  'call_id' | 'application_id' | 'end_user_id' | 'key_id' | 'mode' | 'alias'
> {
  readonly accountId: string
  readonly row: () => HoldRow
}

/**
 * Reads SQLite or PostgreSQL. Undefined if the call has ended.
 * @param endUserId the call's end user, so that a distributed database reads one shard; null if unknown
 */
export async function openHold(
  query: Query,
  { applicationId, mode }: Pick<Account, 'applicationId' | 'mode'>,
  callId: string,
  endUserId: string | null,
): Promise<HoldRow | undefined> {
  if (!isPostgres(query)) {
    const [held] = await holdsInSlots(
      query,
      { applicationId, callId, limit: 1 },
      (call) => call.mode === mode,
    )
    return held
  }
  const holds = query
    .selectFrom('holds')
    .selectAll()
    .where('application_id', '=', applicationId)
    .where('mode', '=', mode)
    .where('call_id', '=', callId)
  return (endUserId === null ? holds : holds.where('end_user_id', '=', endUserId)).executeTakeFirst()
}

/**
 * Returns the calls that pass a test, newest first.
 * @param callId the only call to return; null means any call
 */
export async function holdsInSlots(
  query: Query,
  { applicationId, callId, limit }: { applicationId: string; callId: string | null; limit: number },
  isWanted: (call: SlotCall) => boolean,
): Promise<HoldRow[]> {
  const only = callId === null ? sql`1 = 1` : sql`instr(calls, ${callId}) > 0`
  const { rows } = await sql<{ calls: string }>`SELECT calls FROM hold_slots WHERE ${only}`.execute(query)
  const wanted = rows
    .flatMap(({ calls }) => callsInSlot(calls))
    .filter(
      (call) =>
        call.application_id === applicationId &&
        (callId === null || call.call_id === callId) &&
        isWanted(call),
    )
    .toSorted((one, other) => (one.call_id < other.call_id ? 1 : -1))
  const found: HoldRow[] = []
  const atOnce = Math.min(limit, idsMax)
  for (let at = 0; at < wanted.length && found.length < limit; at += atOnce) {
    const some = wanted.slice(at, at + atOnce)
    const ids = some.map(({ call_id }) => call_id)
    // oxlint-disable-next-line no-await-in-loop -- rarely more than one iteration
    const charged = await query
      .selectFrom('usage_records')
      .select('call_id')
      .where('application_id', '=', applicationId)
      .where('call_id', 'in', ids)
      .execute()
    const isCharged = new Set(charged.map(({ call_id }) => call_id))
    for (const call of some) if (!isCharged.has(call.call_id)) found.push(call.row())
  }
  return found.slice(0, limit)
}

/** SQLite allows 32,766 parameters in one statement. */
const idsMax = 10_000

/** Must have the order in which sqlite/several-holds-per-row.ts writes the values, as must the view `holds`. */
function callsInSlot(text: string): SlotCall[] {
  const calls: unknown = JSON.parse(text)
  assert(Array.isArray(calls), 'a slot is a list of calls')
  return calls.map((call: unknown) => {
    assert(Array.isArray(call) && call.length === 18, 'a call in a slot has 18 values')
    const [call_id, application_id, end_user_id, key_id, mode, quote_id, bound, ...rest]: unknown[] = call
    const [worst, credits, legs, attempts, run, target, input, epoch, reserved, dispatched, checkpoint] = rest
    const [outcome_slug, run_id] = Array.isArray(run) ? run : [null, null]
    const named = {
      call_id: textOf(call_id),
      application_id: textOf(application_id),
      end_user_id: textOf(end_user_id),
      key_id: textOf(key_id),
      mode: mode === 'test' ? ('test' as const) : ('live' as const),
      alias: textOf(Array.isArray(bound) ? bound[0] : null),
    }
    return {
      ...named,
      accountId: textOf(Array.isArray(target) ? target[0] : null),
      row: () => ({
        ...named,
        quote_id: textOf(quote_id),
        bound: JSON.stringify(bound),
        worst_micros: BigInt(textOf(worst)),
        worst_credits: BigInt(textOf(credits)),
        legs: JSON.stringify(legs),
        outcome_slug: outcome_slug === null ? null : textOf(outcome_slug),
        run_id: run_id === null ? null : textOf(run_id),
        target: JSON.stringify(target),
        input_estimate: Number(input),
        epoch: Number(epoch),
        reserved_at_ms: Number(reserved),
        dispatched_at_ms: dispatched === null ? null : Number(dispatched),
        checkpoint: checkpoint === null ? null : JSON.stringify(checkpoint),
        attempts: Array.isArray(attempts) && attempts.length > 0 ? JSON.stringify(attempts) : null,
      }),
    }
  })
}

function textOf(value: unknown): string {
  assert(typeof value === 'string', 'this value of a slot is a text')
  return value
}
