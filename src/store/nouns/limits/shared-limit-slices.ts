import assert from 'node:assert/strict'
import { type RawBuilder, sql } from 'kysely'
import type {
  RuleExchange,
  SharedScope,
  SharedUses,
  SliceStore,
} from '#domain/limits/shared-limit-slices-interface.ts'
import type { Mode } from '#domain/application-config.ts'
import type { RateRule } from '#money/decision-types.ts'
import { countingSlots, isUseOf, type RateUse, slotAt, slotsOfRule } from '#money/rate-limit.ts'
import { exchangeSlice, type SliceGrant } from '#domain/limits/give-slices-of-shared-limit.ts'
import {
  rateUsesFromText,
  rateUsesToText,
  takenCallsFromText,
  takenCallsToText,
  type TakenCalls,
} from '#store/rows/json-columns.ts'
import { type Database, isPostgres, type Query } from '#store/sql/database-interface.ts'
import { lookUps } from '#store/sql/look-up-many-ids-at-once.ts'
import type { SharedLimitUseRow } from '#store/sql/schema.ts'

/**
 * A rule with a window counts the amounts taken in each slot of the window. A limit of requests in flight has no
 * window, and counts the amount that each running process has taken.
 * @param epoch the number that identifies this process
 */
export function sqlSlices(apart: Pick<Database, 'transaction'>, epoch: number): SliceStore {
  return {
    exchange: (scope, exchanges, nowMs) =>
      apart.transaction((tx) => exchange(tx, { scope, exchanges, nowMs, epoch })),
  }
}

export function sharedUses(query: Query): SharedUses {
  const rowsIn = (table: 'tag_limit_uses' | 'team_limit_uses', column: 'tag' | 'team_id') =>
    lookUps(async (scope: `${Mode} ${string}`, names) => {
      const [mode, applicationId] = scope.split(' ')
      const { rows } = await sql<UseRow & { name: string }>`
        SELECT ${sql.ref(column)} AS name, uses, calls FROM ${sql.table(table)}
        WHERE application_id = ${applicationId} AND mode = ${mode} AND ${sql.ref(column)} IN (${sql.join(names)})`.execute(
        query,
      )
      return new Map(rows.map(({ name, ...row }) => [name, row]))
    })
  const ofTag = rowsIn('tag_limit_uses', 'tag')
  const ofTeam = rowsIn('team_limit_uses', 'team_id')
  const running = lookUps(async () => new Map([['', await runningEpochs(query)]]))
  return {
    async of({ applicationId, mode, tag, team }, rules, nowMs) {
      const place = `${mode} ${applicationId}` as const
      const named = team === undefined ? tag : team.id
      const row =
        named === null
          ? await rowOf(query, { applicationId, mode, tag: null })
          : await (team === undefined ? ofTag : ofTeam)(place, named)
      const uses = rateUsesFromText(row?.uses ?? null)
      const isRunning = async () => (await running('', '')) ?? new Set()
      const calls = row === undefined ? [] : await ofRunning(isRunning, takenCallsFromText(row.calls))
      return rules.map((rule) =>
        rule.window === null
          ? (calls.find((each) => isSameModels(each, rule))?.byEpoch ?? [])
          : slotsOfRule(rule, uses, nowMs),
      )
    },
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
  let calls = await ofRunning(() => runningEpochs(tx), takenCallsFromText(row.calls))
  const grants = exchanges.map((one) => {
    const { rule } = one
    if (rule.window === null) {
      const taken = calls.find((each) => isSameModels(each, rule))?.byEpoch ?? []
      // For a limit of requests in flight, the field for the slot's time contains the epoch (process number).
      const own = taken.find(({ startsAtMs }) => startsAtMs === epoch)?.amount ?? 0n
      const returned = [{ startsAtMs: epoch, amount: own - one.held }]
      const grant = exchangeSlice(taken, { ...one, returned }, { slotStartsAtMs: epoch, window: null })
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
      { slotStartsAtMs: slotAt(window, nowMs).startsAtMs, window },
    )
    const { measure, models } = rule
    uses = [...uses.filter((use) => !isUseOf(use, rule)), { measure, window, models, slots: grant.taken }]
    return grant
  })
  await sql`UPDATE ${sql.table(placeOf(scope).table)}
    SET uses = ${rateUsesToText(counting(uses, nowMs))}, calls = ${takenCallsToText(calls)}
    WHERE ${isOf(scope)}`.execute(tx)
  return grants
}

/** Adds the row if necessary, and locks it until the end of the transaction. */
async function lockedRow(tx: Query, scope: SharedScope): Promise<UseRow> {
  const { applicationId, mode } = scope
  const { column, name, table } = placeOf(scope)
  const [columns, values] = column === null ? [sql``, sql``] : [sql`${sql.ref(column)},`, sql`${name},`]
  await sql`INSERT INTO ${sql.table(table)} (application_id, mode, ${columns} uses, calls)
    VALUES (${applicationId}, ${mode}, ${values} '[]', '[]') ON CONFLICT DO NOTHING`.execute(tx)
  const row = await rowOf(tx, scope, isPostgres(tx) ? sql`FOR UPDATE` : sql``)
  assert(row !== undefined, 'the row of the limits exists')
  return row
}

type UseRow = Pick<SharedLimitUseRow, 'uses' | 'calls'>

async function rowOf(
  query: Query,
  scope: SharedScope,
  locking: RawBuilder<unknown> = sql``,
): Promise<UseRow | undefined> {
  const { rows } = await sql<UseRow>`SELECT uses, calls FROM ${sql.table(placeOf(scope).table)}
    WHERE ${isOf(scope)} ${locking}`.execute(query)
  return rows[0]
}

/** Each tag and each team has its own row, so that processes do not wait for each other's tags. */
function placeOf({ tag, team }: SharedScope) {
  if (team !== undefined) return { table: 'team_limit_uses', column: 'team_id', name: team.id } as const
  if (tag !== null) return { table: 'tag_limit_uses', column: 'tag', name: tag } as const
  return { table: 'shared_limit_uses', column: null, name: null } as const
}

function isOf(scope: SharedScope): RawBuilder<unknown> {
  const { column, name } = placeOf(scope)
  const ofScope = sql`application_id = ${scope.applicationId} AND mode = ${scope.mode}`
  return column === null ? ofScope : sql`${ofScope} AND ${sql.ref(column)} = ${name}`
}

/** Omits processes that have ended, because recovery has ended their requests in flight. */
async function ofRunning(
  epochs: () => Promise<ReadonlySet<number>>,
  calls: readonly TakenCalls[],
): Promise<readonly TakenCalls[]> {
  if (calls.every(({ byEpoch }) => byEpoch.length === 0)) return []
  const running = await epochs()
  return calls.map(({ byEpoch, models }) => ({
    models,
    byEpoch: byEpoch.filter(({ startsAtMs }) => running.has(startsAtMs)),
  }))
}

async function runningEpochs(query: Query): Promise<ReadonlySet<number>> {
  const rows = await query.selectFrom('epochs').select('epoch').where('ended_at_ms', 'is', null).execute()
  return new Set(rows.map(({ epoch }) => epoch))
}

/** Keep the usage of a removed rule for as long as it would count, because the rule may be set again. */
function counting(uses: readonly RateUse[], nowMs: number): readonly RateUse[] {
  return uses
    .map((use) => ({ ...use, slots: countingSlots(use.window, use.slots, nowMs) }))
    .filter(({ slots }) => slots.length > 0)
}

function isSameModels({ models }: TakenCalls, rule: RateRule): boolean {
  return JSON.stringify(models) === JSON.stringify(rule.models)
}
