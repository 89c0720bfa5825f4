import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createdFile,
  createdFileId,
  type StoredFileRecord,
} from '#domain/accounts/files-stored-at-providers.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { Store } from '#domain/store-interface.ts'
import { FileList } from '#gateway/list-of-provider-stored-files.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { engines, type Opened } from './engines.ts'
import { startMs, World } from './add-rows-that-calls-need.ts'

const limits = { filesMax: 3, fileBytesMax: 1_000 }

describe.each(engines)('files of end users on $name', ({ open }) => {
  let opened: Opened
  let world: World
  let store: Store
  const clock = { nowMs: startMs }

  beforeEach(async () => {
    clock.nowMs = startMs
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
    store = sqlStore(opened.store.database)
  })
  afterEach(() => opened.close())

  let files = 0
  const fileOf = (endUserId: string, more: Partial<StoredFileRecord> = {}): StoredFileRecord => ({
    applicationId: world.applicationId,
    endUserId,
    mode: 'live',
    organizationId: world.organizationId,
    id: `file-${++files}`,
    accountId: 'pa_1',
    format: 'openai',
    providerId: `file-vendor${files}`,
    filename: 'Ada Lovelace.pdf',
    kind: 'user_data',
    bytes: 100,
    createdAtMs: clock.nowMs + files,
    expiresAtMs: null,
    removedAtMs: null,
    ...more,
  })
  const add = (file: StoredFileRecord): Promise<boolean> =>
    store.transaction(({ storedFiles }) => storedFiles.add(file, limits))
  const removedIds = async (limit = 100): Promise<readonly string[]> =>
    (await store.read.storedFiles.removed(limit)).map(({ id }) => id)
  const forgetExpired = (): Promise<readonly StoredFileRecord[]> =>
    store.transaction(({ storedFiles }) => storedFiles.forgetExpired(clock.nowMs))

  test('adding a file again changes nothing, unless the file was removed', async () => {
    const ada = await world.person(0n)
    const own = fileOf(ada.endUserId)
    expect(await add(own)).toBe(true)
    expect(await add({ ...own, createdAtMs: own.createdAtMs + 1 })).toBe(true)
    expect(await store.read.storedFiles.byId(own, own.id)).toEqual(own)
    await store.transaction(({ storedFiles }) => storedFiles.remove(own, own.id, clock.nowMs))
    expect(await add(own)).toBe(false)
    expect(await store.read.storedFiles.byId(own, own.id)).toBeNull()
  })

  test.each([true, false])(
    'if the commit of an added file is reported as failed, the file is kept only if it was committed: %s',
    async (isCommitted) => {
      const sent: unknown[] = []
      const list = new FileList({
        store: {
          ...store,
          transaction: async (work) => {
            if (isCommitted) await store.transaction(work)
            throw new Error('the connection is lost')
          },
        },
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no request is sent, as no account is found
        upstream: { send: (request: unknown) => sent.push(request) } as never,
        log: { debug() {}, info() {}, error() {}, warn: (fields) => void sent.push(fields) },
        nowMs: () => clock.nowMs,
        newId: world.newId,
        everyMs: 60_000,
      })
      const own = fileOf((await world.person(0n)).endUserId)
      const added = list.add(own, { filesMax: 3, fileBytesMax: 1_000 })
      if (isCommitted) expect(await added).toBe(true)
      else await expect(added).rejects.toThrow('the connection is lost')
      expect(await store.read.storedFiles.byId(own, own.id)).toEqual(isCommitted ? own : null)
      expect(sent).toHaveLength(isCommitted ? 0 : 1)
    },
  )

  test('a file whose ID cannot be stored does not prevent other files from being stored', async () => {
    const warned: unknown[] = []
    const list = new FileList({
      store,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no file is deleted
      upstream: {} as never,
      log: { debug() {}, info() {}, error() {}, warn: (fields) => void warned.push(fields) },
      nowMs: () => clock.nowMs,
      newId: world.newId,
      everyMs: 60_000,
    })
    const owner = fileOf((await world.person(0n)).endUserId)
    // PostgreSQL compresses a text before it checks the length.
    const tooLong = Array.from({ length: 100 }, (_, at) => sha256(String(at))).join('')
    await list.addCreated(owner, 'pa_1', ['file_\0', tooLong])
    const invalid = fileOf(owner.endUserId, { id: 'file-\0', providerId: 'file-\0' })
    await expect(list.add(invalid, limits)).rejects.toThrow('cannot be stored')
    expect(warned).toHaveLength(3)
    await list.addCreated(owner, 'pa_1', ['file_valid'])
    expect(await store.read.storedFiles.byId(owner, createdFileId('pa_1', 'file_valid'))).not.toBeNull()
    expect(warned).toHaveLength(3)
  })

  test('an owner gets only their own files in the requested mode and format, newest first', async () => {
    const [ada, bob] = [await world.person(0n), await world.person(0n)]
    const own = fileOf(ada.endUserId)
    const newer = fileOf(ada.endUserId)
    for (const file of [own, newer, fileOf(bob.endUserId), fileOf(ada.endUserId, { mode: 'test' })])
      expect(await add(file)).toBe(true)
    const { storedFiles } = store.read
    expect(await storedFiles.of(own, 'openai', clock.nowMs)).toEqual([newer, own])
    expect(await storedFiles.of(own, 'anthropic', clock.nowMs)).toEqual([])
    expect(await storedFiles.byId(own, own.id)).toEqual(own)
    for (const other of [
      { ...own, endUserId: bob.endUserId },
      { ...own, mode: 'test' as const },
      { ...own, applicationId: 'app_other' },
    ]) {
      expect(await storedFiles.byId(other, own.id)).toBeNull()
      await store.transaction((nouns) => nouns.storedFiles.remove(other, own.id, clock.nowMs))
    }
    expect(await storedFiles.byId(own, own.id)).toEqual(own)
  })

  test('a file that exceeds the maximum number of files or bytes is stored as removed, even with concurrent uploads', async () => {
    const ada = await world.person(0n)
    const added = await Promise.all(Array.from({ length: 8 }, () => add(fileOf(ada.endUserId))))
    expect(added.filter(Boolean)).toHaveLength(3)
    expect(await removedIds()).toHaveLength(5)
    const bob = await world.person(0n)
    expect(await add(fileOf(bob.endUserId, { bytes: 600 }))).toBe(true)
    expect(await add(fileOf(bob.endUserId, { bytes: 401 }))).toBe(false)
    const last = fileOf(bob.endUserId, { bytes: 400 })
    expect(await add(last)).toBe(true)
    expect(await store.read.storedFiles.sums(last, clock.nowMs, 'files')).toEqual({ files: 2, bytes: 1_000 })
  })

  test('a file in creation counts toward the limits, and is reported if its creation never ends', async () => {
    const ada = await world.person(0n)
    const begun = (): StoredFileRecord =>
      fileOf(ada.endUserId, { providerId: '', bytes: 500, expiresAtMs: clock.nowMs + 60_000 })
    const begin = (file: StoredFileRecord): Promise<boolean> =>
      store.transaction(({ storedFiles }) => storedFiles.begin(file, limits))
    const [first, second, third] = [begun(), begun(), begun()]
    expect([await begin(first), await begin(second), await begin(third)]).toEqual([true, true, false])
    expect(await store.read.storedFiles.of(first, 'openai', clock.nowMs)).toEqual([])
    const created = fileOf(ada.endUserId, { bytes: 500 })
    expect(await store.transaction(({ storedFiles }) => storedFiles.add(created, limits, first.id))).toBe(
      true,
    )
    expect(await store.read.storedFiles.of(first, 'openai', clock.nowMs)).toEqual([created])
    clock.nowMs += 50_000
    expect(await forgetExpired()).toEqual([])
    expect(await begin(begun())).toBe(false)
    clock.nowMs += 10_000
    expect(await forgetExpired()).toEqual([second])
    expect(await forgetExpired()).toEqual([])
    const ended = begun()
    expect(await begin(ended)).toBe(true)
    await store.transaction(({ storedFiles }) => storedFiles.expire(ended.id, clock.nowMs))
    expect((await forgetExpired()).map(({ id }) => id)).toEqual([ended.id])
  })

  test('a file in creation is not deleted at the provider when its end user is deleted', async () => {
    const ada = await world.person(0n)
    const begun = fileOf(ada.endUserId, { providerId: '', expiresAtMs: clock.nowMs + 1_000 })
    await store.transaction(({ storedFiles }) => storedFiles.begin(begun, limits))
    const person = await store.read.endUsers.byId(world.applicationId, ada.endUserId)
    if (person === null) throw new Error('the end user exists')
    await store.transaction(({ endUsers }) => endUsers.remove(person, clock.nowMs))
    expect(await removedIds()).toEqual([])
    clock.nowMs += 1_000
    expect((await forgetExpired()).map(({ id }) => id)).toEqual([begun.id])
  })

  test('conversations are not listed as files, and have a separate limit', async () => {
    const ada = await world.person(0n)
    const conversation = fileOf(ada.endUserId, { kind: 'conversation', bytes: 0 })
    const file = fileOf(ada.endUserId, { bytes: 10 })
    expect([await add(conversation), await add(file)]).toEqual([true, true])
    const { storedFiles } = store.read
    expect(await storedFiles.of(file, 'openai', clock.nowMs)).toEqual([file])
    expect(await storedFiles.byId(conversation, conversation.id)).toEqual(conversation)
    expect(await storedFiles.sums(file, clock.nowMs, 'files')).toEqual({ files: 1, bytes: 10 })
    expect(await storedFiles.sums(file, clock.nowMs, 'conversations')).toEqual({ files: 1, bytes: 0 })
  })

  test('a file that code has created has one row, is not listed, counts toward no limit, and is deleted with its end user', async () => {
    const ada = await world.person(0n)
    const owner = { ...ada, organizationId: world.organizationId, mode: 'live' as const }
    const account = { applicationId: world.applicationId, ...owner }
    const created = createdFile(account, {
      accountId: 'pa_1',
      createdAtMs: clock.nowMs,
      providerId: 'file_1',
    })
    expect([await add(created), await add(created)]).toEqual([true, true])
    const { storedFiles } = store.read
    expect(await storedFiles.of(created, 'anthropic', clock.nowMs)).toEqual([])
    expect(await storedFiles.sums(created, clock.nowMs, 'files')).toEqual({ files: 0, bytes: 0 })
    const person = await store.read.endUsers.byId(world.applicationId, ada.endUserId)
    if (person === null) throw new Error('the end user exists')
    await store.transaction(({ endUsers }) => endUsers.remove(person, clock.nowMs))
    expect(await removedIds()).toEqual([created.id])
  })

  test('cached content has a separate limit', async () => {
    const ada = await world.person(0n)
    const content = (): StoredFileRecord => fileOf(ada.endUserId, { kind: 'cached_content', bytes: 0 })
    expect(await add(fileOf(ada.endUserId))).toBe(true)
    for (const isAdded of [true, true, true, false])
      // oxlint-disable-next-line no-await-in-loop -- one after another, so that the last exceeds the limit
      expect(await add(content())).toBe(isAdded)
    const { storedFiles } = store.read
    expect(await storedFiles.sums(content(), clock.nowMs, 'caches')).toEqual({ files: 3, bytes: 0 })
    expect(await storedFiles.sums(content(), clock.nowMs, 'files')).toEqual({ files: 1, bytes: 100 })
  })

  test('an expired file is not listed, and no longer counts toward the limits', async () => {
    const ada = await world.person(0n)
    const file = fileOf(ada.endUserId, { bytes: 1_000, expiresAtMs: clock.nowMs + 5_000 })
    expect(await add(file)).toBe(true)
    expect(await add(fileOf(ada.endUserId))).toBe(false)
    clock.nowMs += 5_000
    expect(await store.read.storedFiles.of(file, 'openai', clock.nowMs)).toEqual([])
    await forgetExpired()
    expect(await store.read.storedFiles.byId(file, file.id)).toBeNull()
    expect(await add(fileOf(ada.endUserId, { createdAtMs: clock.nowMs }))).toBe(true)
  })

  test('expired files, however many, do not delay the deletion of removed files', async () => {
    const ada = await world.person(0n)
    const removed = fileOf(ada.endUserId)
    const kept = fileOf(ada.endUserId, { expiresAtMs: clock.nowMs + 5_001 })
    for (const file of [removed, kept]) await add(file)
    await store.transaction(({ storedFiles }) => storedFiles.remove(removed, removed.id, clock.nowMs))
    const expiring = Array.from({ length: 20 }, () =>
      fileOf(ada.endUserId, { kind: 'cached_content', expiresAtMs: clock.nowMs + 5_000 }),
    )
    const unlimited = { filesMax: Infinity, fileBytesMax: Infinity }
    await store.transaction(async ({ storedFiles }) => {
      // oxlint-disable-next-line no-await-in-loop -- one transaction has one connection
      for (const file of expiring) await storedFiles.add(file, unlimited)
    })
    clock.nowMs += 5_000
    expect(await removedIds(1)).toEqual([removed.id])
    await forgetExpired()
    const first = expiring[0]?.id ?? ''
    expect(await store.read.storedFiles.byId(removed, first)).toBeNull()
    expect((await store.read.storedFiles.of(removed, 'openai', startMs)).map(({ id }) => id)).toEqual([
      kept.id,
    ])
    expect(await store.read.storedFiles.byId(kept, kept.id)).toEqual(kept)
  })

  test('a later expiry restores a file whose row was deleted on expiry, but not a removed file', async () => {
    const ada = await world.person(0n)
    const file = fileOf(ada.endUserId, { expiresAtMs: clock.nowMs + 5 })
    const extend = (expiresAtMs: number): Promise<void> =>
      store.transaction(({ storedFiles }) => storedFiles.extend({ ...file, expiresAtMs }))
    const expiry = async (): Promise<number | null | undefined> =>
      (await store.read.storedFiles.byId(file, file.id))?.expiresAtMs
    await add(file)
    await extend(startMs + 10)
    expect(await expiry()).toBe(startMs + 10)
    clock.nowMs += 10
    await forgetExpired()
    expect(await expiry()).toBeUndefined()
    await extend(startMs + 20)
    expect(await expiry()).toBe(startMs + 20)
    await store.transaction(({ storedFiles }) => storedFiles.remove(file, file.id, clock.nowMs))
    await extend(startMs + 30)
    expect(await expiry()).toBeUndefined()
    expect(await removedIds()).toEqual([file.id])
  })

  test('the files of a deleted end user are kept without their names, until a provider has deleted them', async () => {
    const ada = await world.person(0n)
    const file = fileOf(ada.endUserId)
    await add(file)
    const person = await store.read.endUsers.byId(world.applicationId, ada.endUserId)
    if (person === null) throw new Error('the end user exists')
    await store.transaction(({ endUsers }) => endUsers.remove(person, clock.nowMs))
    expect(await store.read.storedFiles.byId(file, file.id)).toBeNull()
    const removed = await store.read.storedFiles.removed(100)
    expect(removed).toEqual([{ ...file, filename: ada.endUserId, removedAtMs: clock.nowMs }])
    expect(await add(fileOf(ada.endUserId))).toBe(false)
    await store.transaction(({ storedFiles }) => storedFiles.postpone(file.id, clock.nowMs + 99))
    expect((await removedIds()).at(-1)).toBe(file.id)
    await store.transaction(({ storedFiles }) => storedFiles.forget(file.id))
    expect(await removedIds()).toHaveLength(1)
  })
})
