import { sql } from 'kysely'
import {
  type Delivery,
  type Emitter,
  type EmitterCounts,
  type EmitterRows,
  type EventStory,
  isToldOf,
  isWanted,
  type Replay,
  type SettledCall,
} from '#domain/emitters/emitter-records-and-ports.ts'
import { epochTag, suffixFloor, tagPlace } from '#domain/ids-sorted-by-time.ts'
import { stringsFromText } from '#store/rows/json-columns.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { lookUps } from '#store/sql/look-up-many-ids-at-once.ts'
import type { DeliveryRow, EmitterRow } from '#store/sql/schema.ts'
import { every, first, newestFirst } from './read-rows-and-pages.ts'

/**
 * The progress marks of a new emitter cover calls that began at most this long before its creation. Other processes
 * learn of a new emitter within a second. Until then, these processes may settle calls that the emitter must receive.
 */
const reachMs = 60_000

export function emitters(query: Query): EmitterRows {
  const of = (applicationId: string) =>
    query.selectFrom('emitters').selectAll().where('application_id', '=', applicationId)
  const countsOf = lookUps(async (_, ids) => {
    const rows = await query.selectFrom('emitter_counts').selectAll().where('emitter_id', 'in', ids).execute()
    return new Map(rows.map((row): [string, EmitterCounts] => [row.emitter_id, fieldsOf(row)]))
  })
  const replayOf = lookUps(async (_, ids) => {
    const rows = await query
      .selectFrom('emitter_replays')
      .selectAll()
      .where('emitter_id', 'in', ids)
      .execute()
    return new Map(rows.map((row): [string, Replay] => [row.emitter_id, fieldsOf(row)]))
  })
  return {
    async insert(emitter) {
      await query.insertInto('emitters').values(columnsOf(emitter)).execute()
      await query
        .insertInto('emitter_counts')
        .values({ emitter_id: emitter.id, ...columnsOf(noCounts) })
        .execute()
      if (emitter.isEnabled) await makeMarks(query, emitter)
      await raiseVersion(query)
    },
    async update({ id, ...emitter }) {
      const { amount, customerId, eventName, isEnabled, lastFour, name, sealedSecret, sinceMs } = emitter
      const { formerSealedSecret, formerSecretEndsAtMs } = emitter
      const before = await query
        .selectFrom('emitters')
        .select('is_enabled')
        .where('id', '=', id)
        .executeTakeFirst()
      await query
        .updateTable('emitters')
        .set({
          ...columnsOf({ amount, customerId, eventName, isEnabled, lastFour, name, sealedSecret, sinceMs }),
          ...columnsOf({ formerSealedSecret, formerSecretEndsAtMs }),
        })
        .where('id', '=', id)
        .execute()
      if (!isEnabled) {
        await query.deleteFrom('emitter_marks').where('emitter_id', '=', id).execute()
        await query
          .updateTable('emitter_replays')
          .set({ state: 'stopped', failure: 'the emitter is disabled' })
          .where('emitter_id', '=', id)
          .where('state', '=', 'running')
          .execute()
      } else if (before?.is_enabled === 0) await makeMarks(query, { id, ...emitter })
      await raiseVersion(query)
    },
    byId: (applicationId, id) => first(of(applicationId).where('id', '=', id), emitterOf),
    list: (applicationId, mode, page) =>
      newestFirst(of(applicationId).where('mode', '=', mode), page, 'id', emitterOf),
    all: (applicationId, mode) =>
      every(of(applicationId).where('mode', '=', mode).orderBy('created_at_ms').orderBy('id'), emitterOf),
    async remove(id) {
      await query.deleteFrom('emitters').where('id', '=', id).execute()
      await raiseVersion(query)
    },
    async sealedSecrets(nowMs) {
      const rows = await query.selectFrom('emitters').select('sealed_secret').execute()
      const former = await query
        .selectFrom('emitters')
        .select('former_sealed_secret')
        .where('former_secret_ends_at_ms', '>', nowMs)
        .execute()
      return [
        ...rows.map(({ sealed_secret: sealed }) => sealed),
        ...former.flatMap(({ former_sealed_secret: sealed }) => sealed ?? []),
      ]
    },
    counts: async (id) => (await countsOf('', id)) ?? noCounts,
    replay: async (id) => (await replayOf('', id)) ?? null,
    async putReplay({ emitterId, ...rest }) {
      const fields = columnsOf(rest)
      await query
        .insertInto('emitter_replays')
        .values({ emitter_id: emitterId, ...fields })
        .onConflict((conflict) => conflict.column('emitter_id').doUpdateSet(fields))
        .execute()
      await raiseVersion(query)
    },
    deliveries(id, isDelivered, page) {
      const all = query.selectFrom('emitter_deliveries').selectAll().where('emitter_id', '=', id)
      return newestFirst(
        isDelivered === null ? all : all.where('is_delivered', '=', isDelivered ? 1 : 0),
        page,
        'id',
        deliveryOf,
      )
    },
    delivery: (id, batchId) =>
      first(
        query
          .selectFrom('emitter_deliveries')
          .selectAll()
          .where('emitter_id', '=', id)
          .where('id', '=', batchId),
        deliveryOf,
      ),
    async ofCall(applicationId, mode, call) {
      const told = await every(
        of(applicationId).where('mode', '=', mode).orderBy('created_at_ms').orderBy('id'),
        emitterOf,
      )
      const stories = await Promise.all(told.map((emitter) => storyOf(query, emitter, call)))
      return stories.filter((story) => story !== null)
    },
  }
}

export function emitterOf(row: EmitterRow): Emitter {
  return { ...fieldsOf(row), isEnabled: row.is_enabled === 1 }
}

const noCounts: EmitterCounts = {
  delivered: 0,
  rejected: 0,
  dropped: 0,
  lastDeliveredAtMs: null,
  lastFailedAtMs: null,
  lastFailure: null,
  failingSinceMs: null,
  missedFrom: null,
  missedTo: null,
}

function deliveryOf(row: DeliveryRow): Delivery {
  return { ...fieldsOf(row), callIds: stringsFromText(row.call_ids), isDelivered: row.is_delivered === 1 }
}

/**
 * Creates a progress mark for every running process. All marks start before the oldest call in flight of the
 * application, and at least `reachMs` before the emitter's creation. The marks therefore cover all calls that settle
 * from now on, even if a process learns of the emitter late or never.
 */
async function makeMarks(
  query: Query,
  { applicationId, id, sinceMs }: Emitter & { id: string },
): Promise<void> {
  const open = await query
    .selectFrom('holds')
    .select((eb) => eb.fn.min('call_id').as('oldest'))
    .where('application_id', '=', applicationId)
    .executeTakeFirst()
  const floor = suffixFloor(sinceMs - reachMs)
  const oldest = open?.oldest ?? floor
  const through = oldest < floor ? suffixFloorOf(oldest) : floor
  await query
    .insertInto('emitter_marks')
    .columns(['emitter_id', 'epoch', 'through', 'pending', 'claimed_by'])
    .expression((eb) =>
      eb
        .selectFrom('epochs')
        .select([
          sql<string>`${id}`.as('emitter_id'),
          'epoch',
          sql<string>`${through}`.as('through'),
          sql<string>`'[]'`.as('pending'),
          sql<null>`CAST(NULL AS BIGINT)`.as('claimed_by'),
        ])
        .where('ended_at_ms', 'is', null),
    )
    // Read the new values from the row `excluded`, because Citus accepts no parameters after ON CONFLICT.
    .onConflict((conflict) =>
      conflict.columns(['emitter_id', 'epoch']).doUpdateSet((eb) => ({
        through: eb.ref('excluded.through'),
        pending: eb.ref('excluded.pending'),
        claimed_by: eb.ref('excluded.claimed_by'),
      })),
    )
    .execute()
}

/** Returns a value that sorts before the ID of the call. */
function suffixFloorOf(callId: string): string {
  return callId.slice(0, tagPlace.from - 1)
}

async function raiseVersion(query: Query): Promise<void> {
  await query
    .updateTable('emitter_changes')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .execute()
}

/** Returns null if the emitter does not receive the call. */
async function storyOf(query: Query, emitter: Emitter, call: SettledCall): Promise<EventStory | null> {
  const { callId } = call
  const delivery = await first(
    query
      .selectFrom('emitter_deliveries')
      .selectAll()
      .where('emitter_id', '=', emitter.id)
      .where('call_ids', 'like', `%${callId}%`)
      .orderBy('id', 'desc')
      .limit(1),
    deliveryOf,
  )
  if (delivery !== null) return { emitter, delivery, isWaiting: false }
  if (!emitter.isEnabled || !isWanted(emitter, call) || !isToldOf(emitter, call)) return null
  const marks = await query
    .selectFrom('emitter_marks')
    .select(['epoch', 'through', 'pending'])
    .where('emitter_id', '=', emitter.id)
    .execute()
  const tag = callId.slice(tagPlace.from - 1, tagPlace.from - 1 + tagPlace.length)
  const mark = marks.find(({ epoch }) => epochTag(epoch) === tag)
  const isWaiting =
    mark !== undefined && (callId > mark.through || stringsFromText(mark.pending).includes(callId))
  return { emitter, delivery: null, isWaiting }
}
