import type { RuleExchange, SharedScope, SliceStore } from '#domain/limits/slices.ts'
import type { RateRule } from '#money/hold.ts'
import { countingSlots, isUseOf, type RateUse, slotAt } from '#money/rate-limit.ts'
import { exchangeSlice, type SliceGrant } from '#domain/limits/slice-exchange.ts'
import {
  rateUsesFromText,
  rateUsesToText,
  takenCallsFromText,
  takenCallsToText,
  type TakenCalls,
} from '#store/rows/json-columns.ts'
import { type Database, isPostgres, type Query } from '#store/sql/database.ts'

/**
 * Stores slices of shared limits in rows of either engine. A rule with a window counts the amounts taken in each slot
 * of the window. A limit of requests in flight has no window, and counts the amount that each running process has
 * taken.
 * @param epoch the epoch of this process
 */
export function sqlSlices(apart: Pick<Database, 'transaction'>, epoch: number): SliceStore {
  return {
    exchange: (scope, exchanges, nowMs) =>
      apart.transaction((tx) => exchange(tx, { scope, exchanges, nowMs, epoch })),
  }
}

interface Exchanging {
  readonly scope: SharedScope
  readonly exchanges: readonly RuleExchange[]
  readonly nowMs: number
  readonly epoch: number
}

async function exchange(
  tx: Query,
  { epoch, exchanges, nowMs, scope }: Exchanging,
): Promise<readonly SliceGrant[]> {
  const row = await lockedRow(tx, scope)
  let uses = rateUsesFromText(row.uses)
  let calls = await ofRunning(tx, takenCallsFromText(row.calls))
  const grants = exchanges.map((one) => {
    const { rule } = one
    if (rule.window === null) {
      const taken = calls.find((each) => isSameModels(each, rule))?.byEpoch ?? []
      // The epoch of the process is stored in the field that contains the slot's time for other rules.
      const returned = one.returned.map(({ amount }) => ({ startsAtMs: epoch, amount }))
      const grant = exchangeSlice(taken, { ...one, returned }, epoch)
      calls = [
        ...calls.filter((each) => !isSameModels(each, rule)),
        { models: rule.models, byEpoch: grant.taken },
      ]
      return grant
    }
    const taken = uses.find((use) => isUseOf(use, rule))?.slots ?? []
    const { window } = rule
    const grant = exchangeSlice(
      countingSlots(window, taken, nowMs),
      { ...one, returned: countingSlots(window, one.returned, nowMs) },
      slotAt(window, nowMs).startsAtMs,
    )
    const { measure, models } = rule
    uses = [...uses.filter((use) => !isUseOf(use, rule)), { measure, window, models, slots: grant.taken }]
    return grant
  })
  await tx
    .updateTable('shared_limit_uses')
    .set({ uses: rateUsesToText(counting(uses, nowMs)), calls: takenCallsToText(calls) })
    .where('application_id', '=', scope.applicationId)
    .where('mode', '=', scope.mode)
    .execute()
  return grants
}

/** Adds the row if it does not exist, and locks it until the end of the transaction. */
async function lockedRow(tx: Query, { applicationId, mode }: SharedScope) {
  await tx
    .insertInto('shared_limit_uses')
    .values({ application_id: applicationId, mode, uses: '[]', calls: '[]' })
    .onConflict((conflict) => conflict.columns(['application_id', 'mode']).doNothing())
    .execute()
  const row = tx
    .selectFrom('shared_limit_uses')
    .select(['uses', 'calls'])
    .where('application_id', '=', applicationId)
    .where('mode', '=', mode)
  return (isPostgres(tx) ? row.forUpdate() : row).executeTakeFirstOrThrow()
}

/**
 * Omits the amounts of processes that have ended. Recovery has ended the requests that these processes had in flight.
 */
async function ofRunning(tx: Query, calls: readonly TakenCalls[]): Promise<readonly TakenCalls[]> {
  if (calls.every(({ byEpoch }) => byEpoch.length === 0)) return []
  const rows = await tx.selectFrom('epochs').select('epoch').where('ended_at_ms', 'is', null).execute()
  const running = new Set(rows.map(({ epoch }) => epoch))
  return calls.map(({ byEpoch, models }) => ({
    models,
    byEpoch: byEpoch.filter(({ startsAtMs }) => running.has(startsAtMs)),
  }))
}

/** Usage of a removed rule is kept as long as it would count, because the rule may be set again. */
function counting(uses: readonly RateUse[], nowMs: number): readonly RateUse[] {
  return uses
    .map((use) => ({ ...use, slots: countingSlots(use.window, use.slots, nowMs) }))
    .filter(({ slots }) => slots.length > 0)
}

function isSameModels({ models }: TakenCalls, rule: RateRule): boolean {
  return JSON.stringify(models) === JSON.stringify(rule.models)
}
