import type { Outcome, OutcomeRun, Outcomes } from '#domain/outcomes-and-runs.ts'
import { sql } from 'kysely'
import type { RunStatus } from '#money/decision-types.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { OutcomeRow, OutcomeRunRow } from '#store/sql/schema.ts'
import { lockPerson } from './lock-end-user.ts'
import { every, first, isAfter, newestFirst, pageOfRows } from './read-rows-and-pages.ts'

/** Runs of different end users may have the same ID. */
const runKey = sql<string>`outcome_runs.end_user_id || '/' || outcome_runs.run_id`

/**
 * Must agree with `statusOfRun` (money/outcome-run-status.ts): a run that stopped at a ceiling continues after the
 * ceiling was raised.
 */
const statusNow = sql<RunStatus>`CASE WHEN outcome_runs.status = 'capped'
  AND outcome_runs.capped_at_micros < outcomes.ceiling_micros THEN 'running' ELSE outcome_runs.status END`

export function outcomes(query: Query): Outcomes {
  const runsWithPerson = query
    .selectFrom('outcome_runs')
    .innerJoin('end_users', 'end_users.id', 'outcome_runs.end_user_id')
    .innerJoin('outcomes', (on) =>
      on
        .onRef('outcomes.application_id', '=', 'outcome_runs.application_id')
        .onRef('outcomes.slug', '=', 'outcome_runs.outcome_slug'),
    )
    .selectAll('outcome_runs')
    .select(['end_users.external_id', statusNow.as('status_now')])
  const outcomesOf = query.selectFrom('outcomes').selectAll()
  return {
    async put({ applicationId, slug, createdAtMs, ...rest }) {
      const fields = columnsOf(rest)
      await query
        .insertInto('outcomes')
        .values({ ...columnsOf({ applicationId, slug, createdAtMs }), ...fields })
        .onConflict((conflict) => conflict.columns(['application_id', 'slug']).doUpdateSet(fields))
        .execute()
    },
    bySlug: (applicationId, slug) =>
      first(outcomesOf.where('application_id', '=', applicationId).where('slug', '=', slug), outcomeOf),
    serving: (applicationId) =>
      every(
        outcomesOf
          .where('application_id', '=', applicationId)
          .where('archived_at_ms', 'is', null)
          .orderBy('slug'),
        outcomeOf,
      ),
    list: (applicationId, page) =>
      newestFirst(outcomesOf.where('application_id', '=', applicationId), page, 'slug', outcomeOf),
    async totals(applicationId, mode) {
      const rows = await query
        .selectFrom('outcome_runs')
        .select('outcome_slug')
        .select((eb) => [
          eb.fn.countAll<number>().as('runs'),
          eb.fn.sum<bigint>('spent_micros').as('sum_micros'),
        ])
        .where('application_id', '=', applicationId)
        .where('mode', '=', mode)
        .groupBy('outcome_slug')
        .execute()
      return new Map(rows.map((row) => [row.outcome_slug, { runs: row.runs, spentMicros: row.sum_micros }]))
    },
    async runs(applicationId, mode, slug, { endUserId, status }, page) {
      const rows = await runsWithPerson
        .where('outcome_runs.application_id', '=', applicationId)
        .where('outcome_runs.mode', '=', mode)
        .where('outcome_runs.outcome_slug', '=', slug)
        .$if(endUserId !== null, (all) => all.where('outcome_runs.end_user_id', '=', endUserId ?? ''))
        .$if(status !== null, (all) => all.where(statusNow, '=', status ?? 'running'))
        .where(isAfter(page, 'outcome_runs.started_at_ms', runKey))
        .orderBy('outcome_runs.started_at_ms', 'desc')
        .orderBy(runKey, 'desc')
        .limit(page.limit + 1)
        .execute()
      return pageOfRows(
        rows,
        page,
        (row) => ({ at: row.started_at_ms, id: `${row.end_user_id}/${row.run_id}` }),
        runOf,
      )
    },
    run: (applicationId, mode, slug, runId) =>
      every(
        runsWithPerson
          .where('outcome_runs.application_id', '=', applicationId)
          .where('outcome_runs.mode', '=', mode)
          .where('outcome_runs.outcome_slug', '=', slug)
          .where('outcome_runs.run_id', '=', runId),
        runOf,
      ),
    async finishRun({ endUserId, mode, runId, slug }, result) {
      // Lock the end user before reading, because the ledger changes the rows of runs under the same lock.
      await lockPerson(query, endUserId)
      const run = await runsWithPerson
        .where('outcome_runs.end_user_id', '=', endUserId)
        .where('outcome_runs.mode', '=', mode)
        .where('outcome_runs.outcome_slug', '=', slug)
        .where('outcome_runs.run_id', '=', runId)
        .executeTakeFirst()
      if (run === undefined) return null
      if (run.status_now !== 'running') return run.status_now
      await query
        .updateTable('outcome_runs')
        .set({ status: result })
        .where('end_user_id', '=', endUserId)
        .where('mode', '=', mode)
        .where('outcome_slug', '=', slug)
        .where('run_id', '=', runId)
        .execute()
      return result
    },
  }
}

function outcomeOf(row: OutcomeRow): Outcome {
  return fieldsOf(row)
}

function runOf(row: OutcomeRunRow & { external_id: string; status_now: RunStatus }): OutcomeRun {
  return {
    endUserId: row.end_user_id,
    externalId: row.external_id,
    runId: row.run_id,
    status: row.status_now,
    spentMicros: row.spent_micros,
    calls: row.calls,
    startedAtMs: row.started_at_ms,
    lastCallAtMs: row.last_call_at_ms,
  }
}
