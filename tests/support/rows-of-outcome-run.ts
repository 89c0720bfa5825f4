import type { RedirectRequest, ReserveRequest } from '#domain/ledger-interface.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import { reports } from '#store/nouns/reports/reports-of-store.ts'
import type { EngineStore } from '#store/sql/engine-store-interface.ts'
import { type Caller, dayMs } from '../store-conformance/add-rows-that-calls-need.ts'

/** The margin report covers the day of `atMs`. */
export async function runRows(
  { database }: EngineStore,
  { endUserId, mode }: Caller,
  callId: string,
  atMs: number,
): Promise<object> {
  const { read } = database
  const record = await read
    .selectFrom('usage_records')
    .select(['application_id', 'outcome_slug', 'run_id', 'charge_micros', 'cost_micros'])
    .where('call_id', '=', callId)
    .executeTakeFirstOrThrow()
  const run = await read
    .selectFrom('outcome_runs')
    .select(['status', 'spent_micros', 'calls'])
    .where('end_user_id', '=', endUserId)
    .executeTakeFirstOrThrow()
  const { application_id, ...counted } = record
  const day = Math.floor(atMs / dayMs)
  const days = { fromDay: day, toDay: day + 1 }
  const { groups } = await reports(read, null).margin(application_id, mode, 'run', days, {
    limit: 10,
    after: null,
  })
  const margin = groups.map(({ calls, chargeMicros, costMicros, run: of }) => ({
    of: [of?.outcomeSlug, of?.runId, of?.externalId],
    calls,
    costMicros,
    chargeMicros,
  }))
  return { record: counted, run: { ...run }, margin }
}

/** The attempt used 13 tokens, which cost 13 micros. */
export function failedAttempt(
  { bound, callId, quote, target }: ReserveRequest,
  nowMs: number,
): RedirectRequest {
  return {
    callId,
    nowMs,
    quote,
    target: { ...target, model: 'other' },
    outputTokens: bound.outputTokens,
    attempts: [
      {
        target,
        status: 503,
        failure: null,
        code: 'upstream_overloaded',
        atMs: 1,
        durationMs: 2,
        firstByteMs: null,
        usage: { ...zeroUsage, input: 10, output: 3 },
        quote,
      },
    ],
  }
}
