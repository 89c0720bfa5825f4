import { chargedRows } from './read-call-records.ts'
import { type ExpressionBuilder, sql } from 'kysely'
import {
  deliveryBodyDays,
  type EmitterMark,
  type EmitterNews,
  type EmitterProgress,
  type EnabledEmitter,
  type Replay,
  type UsageEvent,
} from '#domain/emitters/emitter-records-and-ports.ts'
import { epochTag, suffixFloor, tagPlace } from '#domain/ids-sorted-by-time.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import { tagsAndTeam } from '#store/rows/labels-of-calls.ts'
import { stringsFromText, targetFromText, usageFromText } from '#store/rows/json-columns.ts'
import { tagsFromText } from '#store/rows/tags-columns.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import { paidIn } from '#store/sql/sql-of-figure-columns.ts'
import { type Database, isPostgres, type Query } from '#store/sql/database-interface.ts'
import type { EmitterRow, Schema, UsageRecordRow } from '#store/sql/schema.ts'
import { emitterOf } from './emitters.ts'
import { every, first } from './read-rows-and-pages.ts'

const deliveriesMax = 200

export function emitterProgress(database: Database): EmitterProgress {
  const { read } = database
  const withOrganization = read
    .selectFrom('emitters')
    .innerJoin('applications', 'applications.id', 'emitters.application_id')
    .selectAll('emitters')
    .select('applications.organization_id')
  return {
    async version() {
      const row = await read.selectFrom('emitter_changes').select('version').executeTakeFirstOrThrow()
      return row.version
    },
    enabled: () => every(withOrganization.where('is_enabled', '=', 1).orderBy('emitters.id'), enabledOf),
    byId: (id) => first(withOrganization.where('emitters.id', '=', id), enabledOf),
    events: async (applicationId, mode, callIds) =>
      callIds.length === 0
        ? []
        : every(
            chargedRows(read, applicationId, mode)
              .where('usage_records.call_id', 'in', [...callIds])
              .orderBy('usage_records.call_id'),
            eventOf,
          ),
    async settledCalls({ after, applicationId, before, epoch, limit, mode, settledSinceMs }) {
      const span = read
        .selectFrom('usage_records')
        .select('call_id')
        .where('application_id', '=', applicationId)
        .where('mode', '=', mode)
        .where('call_id', '>', after)
        .where('call_id', '<', before)
        .where('settled_at_ms', '>=', settledSinceMs)
      const tagged =
        epoch === null
          ? span
          : span.where(
              sql`substr(call_id, ${sql.lit(tagPlace.from)}, ${sql.lit(tagPlace.length)})`,
              '=',
              epochTag(epoch),
            )
      return every(tagged.orderBy('call_id').limit(limit), (row) => row.call_id)
    },
    async marksOf(epoch, missing) {
      if (missing.length > 0) {
        await database.transaction(async (tx) => {
          for (const mark of missing) {
            // oxlint-disable-next-line no-await-in-loop -- a transaction uses one connection
            await tx
              .insertInto('emitter_marks')
              .columns(['emitter_id', 'epoch', 'through', 'pending', 'claimed_by'])
              // Skip an emitter that was deleted in the meantime.
              .expression((eb) =>
                eb
                  .selectFrom('emitters')
                  .select([
                    'id as emitter_id',
                    sql<number>`CAST(${mark.epoch} AS BIGINT)`.as('epoch'),
                    sql<string>`${mark.through}`.as('through'),
                    sql<string>`${JSON.stringify(mark.pending)}`.as('pending'),
                    sql<null>`CAST(NULL AS BIGINT)`.as('claimed_by'),
                  ])
                  .where('id', '=', mark.emitterId)
                  .where('is_enabled', '=', 1),
              )
              .onConflict((conflict) => conflict.columns(['emitter_id', 'epoch']).doNothing())
              .execute()
          }
        })
      }
      return every(read.selectFrom('emitter_marks').selectAll().where('epoch', '=', epoch), markOf)
    },
    async claim(epoch, emitterIds) {
      if (emitterIds.length === 0) return []
      const left = await abandonedMarks(read, epoch, emitterIds)
      if (left.every((row) => row.claimed_by === epoch)) return left.map(markOf)
      return database.transaction(async (tx) => {
        const claimed: EmitterMark[] = []
        for (const row of await abandonedMarks(tx, epoch, emitterIds)) {
          // oxlint-disable-next-line no-await-in-loop -- a transaction uses one connection
          const { numUpdatedRows } = await tx
            .updateTable('emitter_marks')
            .set({ claimed_by: epoch })
            .where('emitter_id', '=', row.emitter_id)
            .where('epoch', '=', row.epoch)
            .executeTakeFirst()
          if (numUpdatedRows > 0n) claimed.push(markOf(row))
        }
        return claimed
      })
    },
    async claimReplays(epoch, emitterIds) {
      if (emitterIds.length === 0) return []
      const running = await read
        .selectFrom('emitter_replays')
        .leftJoin('epochs', 'epochs.epoch', 'emitter_replays.epoch')
        .selectAll('emitter_replays')
        .where('state', '=', 'running')
        .where('emitter_id', 'in', [...emitterIds])
        .where((eb) => eb.or([eb('emitter_replays.epoch', '=', epoch), isGone(eb)]))
        .execute()
      const claimed: Replay[] = []
      for (const row of running) {
        const replay: Replay = fieldsOf(row)
        // oxlint-disable-next-line no-await-in-loop -- there is rarely more than one replay
        if (replay.epoch === epoch || (await takeReplay(database, replay, epoch))) {
          claimed.push({ ...replay, epoch })
        }
      }
      return claimed
    },
    async dropMark({ emitterId, epoch }) {
      await database.transaction((tx) =>
        tx
          .deleteFrom('emitter_marks')
          .where('emitter_id', '=', emitterId)
          .where('epoch', '=', epoch)
          .execute(),
      )
    },
    async save(news) {
      await database.transaction(async (tx) => {
        // oxlint-disable-next-line no-await-in-loop -- a transaction uses one connection
        for (const one of news) await saveNews(tx, one)
      })
    },
    async saveReplay({ emitterId, epoch, failure, sent, startedAtMs, state, through, updatedAtMs, ...span }) {
      await database.transaction(async (tx) => {
        await tx
          .updateTable('emitter_replays')
          .set(columnsOf({ failure, sent, state, through, updatedAtMs }))
          .where('emitter_id', '=', emitterId)
          .where('epoch', '=', epoch)
          .where('started_at_ms', '=', startedAtMs)
          // Disabling the emitter has stopped the replay.
          .where('state', '=', 'running')
          .execute()
        if (state !== 'done') return
        // The replay has delivered the missed events, so reset their count.
        await tx
          .updateTable('emitter_counts')
          .set({ missed_from: null, missed_to: null })
          .where('emitter_id', '=', emitterId)
          .where('missed_from', '>=', suffixFloor(span.fromMs))
          .where('missed_to', '<', suffixFloor(span.toMs))
          .execute()
      })
    },
  }
}

type WithEpoch = Schema & { epochs: Schema['epochs'] }

function isGone<Tables extends keyof WithEpoch>(eb: ExpressionBuilder<WithEpoch, Tables>) {
  return eb.or([
    sql<boolean>`${sql.ref('epochs.epoch')} IS NULL`,
    sql<boolean>`${sql.ref('epochs.ended_at_ms')} IS NOT NULL`,
  ])
}

/** Returns the marks of ended processes without calls in flight, except marks that another running process has claimed. */
function abandonedMarks(
  query: Query,
  epoch: number,
  emitterIds: readonly string[],
): Promise<Schema['emitter_marks'][]> {
  const isAlive = sql`(SELECT e.epoch FROM epochs e WHERE e.ended_at_ms IS NULL)`
  return (
    query
      .selectFrom('emitter_marks')
      .selectAll()
      .where('epoch', '!=', epoch)
      .where('emitter_id', 'in', [...emitterIds])
      .where(sql<boolean>`epoch NOT IN ${isAlive}`)
      .where(sql<boolean>`(claimed_by IS NULL OR claimed_by = ${epoch} OR claimed_by NOT IN ${isAlive})`)
      // Use a subquery, because Citus cannot join the marks with the holds, which are on the nodes.
      .where(sql<boolean>`epoch NOT IN (SELECT h.epoch FROM holds h)`)
      .execute()
  )
}

async function takeReplay(database: Database, replay: Replay, epoch: number): Promise<boolean> {
  const { numUpdatedRows } = await database.transaction((tx) =>
    tx
      .updateTable('emitter_replays')
      .set({ epoch })
      .where('emitter_id', '=', replay.emitterId)
      .where('epoch', '=', replay.epoch)
      .where('state', '=', 'running')
      .executeTakeFirst(),
  )
  return numUpdatedRows > 0n
}

async function saveNews(tx: Query, news: EmitterNews): Promise<void> {
  const { emitterId, mark } = news
  // If the mark was deleted, do not create it again: its emitter was disabled or deleted.
  if (mark !== null) {
    await tx
      .updateTable('emitter_marks')
      .set({ through: mark.through, pending: JSON.stringify(mark.pending) })
      .where('emitter_id', '=', emitterId)
      .where('epoch', '=', mark.epoch)
      .execute()
  }
  if (await isSaved(tx, news)) return
  if (!(await saveCounts(tx, news)) || news.deliveries.length === 0) return
  const rows = news.deliveries.slice(-deliveriesMax).map(({ callIds, ...rest }) => ({
    ...columnsOf(rest),
    call_ids: JSON.stringify(callIds),
    emitter_id: emitterId,
  }))
  await tx.insertInto('emitter_deliveries').values(rows).execute()
  const newestMs = Math.max(...news.deliveries.map(({ createdAtMs }) => createdAtMs))
  await tx
    .updateTable('emitter_deliveries')
    .set({ request_body: null, response_body: null })
    .where('emitter_id', '=', emitterId)
    .where('created_at_ms', '<', newestMs - deliveryBodyDays * dayMs)
    .where('request_body', 'is not', null)
    .execute()
  await tx
    .deleteFrom('emitter_deliveries')
    .where('emitter_id', '=', emitterId)
    .where('id', '<=', (eb) =>
      eb
        .selectFrom('emitter_deliveries')
        .select('id')
        .where('emitter_id', '=', emitterId)
        .orderBy('id', 'desc')
        .limit(1)
        .offset(deliveriesMax),
    )
    .execute()
}

/** If a commit succeeded but was not confirmed, the worker saves the same deliveries again. */
async function isSaved(tx: Query, { deliveries, emitterId }: EmitterNews): Promise<boolean> {
  const last = deliveries.at(-1)
  if (last === undefined) return false
  const row = await tx
    .selectFrom('emitter_deliveries')
    .select('id')
    .where('emitter_id', '=', emitterId)
    .where('id', '=', last.id)
    .executeTakeFirst()
  return row !== undefined
}

/** @returns false if the emitter was deleted in the meantime */
async function saveCounts(tx: Query, news: EmitterNews): Promise<boolean> {
  const { delivered, deliveries, dropped, emitterId, missedFrom, missedTo, rejected } = news
  const own = tx.selectFrom('emitter_counts').selectAll().where('emitter_id', '=', emitterId)
  const row = await (isPostgres(tx) ? own.forUpdate() : own).executeTakeFirst()
  if (row === undefined) return false
  const accepted = deliveries.findLast(({ isDelivered }) => isDelivered)
  const refused = deliveries.findLast(({ isDelivered }) => !isDelivered)
  const [firstRefused] = deliveries.slice(accepted === undefined ? 0 : deliveries.indexOf(accepted) + 1)
  const failingBefore = accepted === undefined ? row.failing_since_ms : null
  const counts = {
    delivered: row.delivered + delivered,
    rejected: row.rejected + rejected,
    dropped: row.dropped + dropped,
    last_delivered_at_ms: accepted?.createdAtMs ?? row.last_delivered_at_ms,
    last_failed_at_ms: refused?.createdAtMs ?? row.last_failed_at_ms,
    last_failure: refused?.failure ?? row.last_failure,
    failing_since_ms: failingBefore ?? firstRefused?.createdAtMs ?? null,
    missed_from: smaller(row.missed_from, missedFrom),
    missed_to: larger(row.missed_to, missedTo),
  }
  await tx.updateTable('emitter_counts').set(counts).where('emitter_id', '=', emitterId).execute()
  return true
}

function smaller(one: string | null, other: string | null): string | null {
  return one === null || (other !== null && other < one) ? other : one
}

function larger(one: string | null, other: string | null): string | null {
  return one === null || (other !== null && other > one) ? other : one
}

function enabledOf({
  organization_id: organizationId,
  ...row
}: EmitterRow & { organization_id: string }): EnabledEmitter {
  return { ...emitterOf(row), organizationId }
}

function markOf(row: Schema['emitter_marks']): EmitterMark {
  const { emitter_id: emitterId, epoch, pending, through } = row
  return { emitterId, epoch, through, pending: stringsFromText(pending) }
}

function eventOf(row: UsageRecordRow & { external_id: string }): UsageEvent {
  const { call_id, end_user_id, external_id, key_id, input_tokens, token_source } = row
  const { cost_micros, billed_micros, at_ms, settled_at_ms } = row
  return {
    ...fieldsOf({ call_id, end_user_id, external_id, key_id, input_tokens, token_source }),
    ...fieldsOf({ cost_micros, billed_micros, at_ms, settled_at_ms }),
    ...tagsAndTeam(tagsFromText(row.tags)),
    target: targetFromText(row.target),
    streamed: row.streamed === 1,
    usage: usageFromText(row.usage),
    paid: paidIn(row),
  }
}
