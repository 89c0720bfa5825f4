import type { SelectQueryBuilder } from 'kysely'
import type { Account } from '#domain/billing/money-account-key.ts'
import {
  cachePurpose,
  conversationKind,
  createdKind,
  outputPurpose,
  storedKindOf,
  type FileLimits,
  type StoredFileRecord,
  type StoredFiles,
} from '#domain/accounts/files-stored-at-providers.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { Schema } from '#store/sql/schema.ts'
import { lockPerson } from './lock-end-user.ts'
import { every, first } from './read-rows-and-pages.ts'

export function storedFiles(query: Query): StoredFiles {
  const present = (owner: Account) => ofOwner(query.selectFrom('files'), owner)
  const sums: StoredFiles['sums'] = async (owner, nowMs, what) => {
    const { bytes, files } = await unexpired(present(owner), nowMs)
      .where((eb) =>
        what === 'files'
          ? eb('kind', 'not in', [outputPurpose, cachePurpose, conversationKind, createdKind])
          : eb('kind', '=', what === 'caches' ? cachePurpose : conversationKind),
      )
      .select((eb) => [eb.fn.countAll<number>().as('files'), eb.fn.sum<number | null>('bytes').as('bytes')])
      .executeTakeFirstOrThrow()
    return { files, bytes: bytes ?? 0 }
  }
  const changing = (owner: Account, id: string, set: Partial<Schema['files']>) =>
    query
      .updateTable('files')
      .set(set)
      .where('id', '=', id)
      .where('end_user_id', '=', owner.endUserId)
      .where('mode', '=', owner.mode)
      .where('application_id', '=', owner.applicationId)
      .where('removed_at_ms', 'is', null)
  const hasRoom = async (
    file: StoredFileRecord,
    { fileBytesMax, filesMax }: FileLimits,
  ): Promise<boolean> => {
    const { bytes, files } = await sums(file, file.createdAtMs, storedKindOf(file))
    return files < filesMax && bytes + file.bytes <= fileBytesMax
  }
  const insert = (file: StoredFileRecord) => query.insertInto('files').values(columnsOf(file)).execute()
  const forget = (id: string) => query.deleteFrom('files').where('id', '=', id).execute()
  const add: StoredFiles['add'] = async (file, limits, begunId) => {
    // Lock the end user: if only one more file is allowed, only one of two concurrent uploads may succeed.
    await lockPerson(query, file.endUserId)
    if (begunId !== undefined) await forget(begunId)
    const added = await query
      .selectFrom('files')
      .select('removed_at_ms')
      .where('id', '=', file.id)
      .executeTakeFirst()
    if (added !== undefined) return added.removed_at_ms === null
    const owner = await query
      .selectFrom('end_users')
      .select('removed_at_ms')
      .where('id', '=', file.endUserId)
      .executeTakeFirst()
    const isOwned = owner?.removed_at_ms === null && (await hasRoom(file, limits))
    await insert(isOwned ? file : { ...file, filename: '', removedAtMs: file.createdAtMs })
    return isOwned
  }
  return {
    sums,
    async begin(file, limits) {
      await lockPerson(query, file.endUserId)
      const isBegun = await hasRoom(file, limits)
      if (isBegun) await insert(file)
      return isBegun
    },
    add,
    byId: (owner, id) => first(present(owner).selectAll().where('id', '=', id), fileOf),
    of: (owner, format, nowMs) =>
      every(
        unexpired(present(owner), nowMs)
          .selectAll()
          .where('format', '=', format)
          .where('kind', 'not in', [conversationKind, createdKind])
          .where('provider_id', '!=', '')
          .orderBy('created_at_ms', 'desc')
          .orderBy('id', 'desc'),
        fileOf,
      ),
    async replaceLengthState(owner, id, from, to) {
      const changed = await changing(owner, id, { length_state: to })
        .where('length_state', from === null ? 'is' : '=', from)
        .executeTakeFirst()
      return changed.numUpdatedRows > 0n
    },
    async remove(owner, id, atMs) {
      await changing(owner, id, { removed_at_ms: atMs, filename: '' }).execute()
    },
    async extend(file) {
      const changed = await changing(file, file.id, { expires_at_ms: file.expiresAtMs }).executeTakeFirst()
      if (changed.numUpdatedRows > 0n) return
      await add(file, { filesMax: Infinity, fileBytesMax: Infinity })
    },
    removed: (limit) =>
      every(
        query
          .selectFrom('files')
          .selectAll()
          .where('removed_at_ms', 'is not', null)
          .where('provider_id', '!=', '')
          .orderBy('removed_at_ms')
          .limit(limit),
        fileOf,
      ),
    async forgetExpired(nowMs) {
      const expired = query.deleteFrom('files').where('expires_at_ms', '<=', nowMs)
      const lost = await expired.where('provider_id', '=', '').returningAll().execute()
      await expired.execute()
      return lost.map(fileOf)
    },
    async postpone(id, nowMs) {
      await query
        .updateTable('files')
        .set({ removed_at_ms: nowMs })
        .where('id', '=', id)
        .where('removed_at_ms', 'is not', null)
        .execute()
    },
    async expire(id, nowMs) {
      await query.updateTable('files').set({ expires_at_ms: nowMs }).where('id', '=', id).execute()
    },
    async forget(id) {
      await forget(id)
    },
  }
}

type Files<Output> = SelectQueryBuilder<Schema, 'files', Output>

function ofOwner<Output>(files: Files<Output>, { applicationId, endUserId, mode }: Account): Files<Output> {
  return files
    .where('end_user_id', '=', endUserId)
    .where('mode', '=', mode)
    .where('application_id', '=', applicationId)
    .where('removed_at_ms', 'is', null)
}

function unexpired<Output>(files: Files<Output>, nowMs: number): Files<Output> {
  return files.where((eb) => eb.or([eb('expires_at_ms', 'is', null), eb('expires_at_ms', '>', nowMs)]))
}

function fileOf({ length_state, ...row }: Schema['files']): StoredFileRecord {
  return typeof length_state === 'string' ? fieldsOf({ ...row, length_state }) : fieldsOf(row)
}
