import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { BatchRecord } from '#domain/accounts/batches-at-providers.ts'
import { outputPurpose, type StoredFileRecord } from '#domain/accounts/files-stored-at-providers.ts'
import type { Store } from '#domain/store-interface.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { sampledRuns } from '../support/number-of-property-runs.ts'
import { engines, type Opened } from './engines.ts'
import { startMs, World } from './add-rows-that-calls-need.ts'

describe.each(engines)('batches of end users on $name', ({ open }) => {
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

  let batches = 0
  const batchOf = (endUserId: string, more: Partial<BatchRecord> = {}): BatchRecord => ({
    applicationId: world.applicationId,
    endUserId,
    mode: 'live',
    organizationId: world.organizationId,
    id: `msgbatch_${String(++batches).padStart(4, '0')}`,
    accountId: 'pa_1',
    format: 'anthropic',
    providerId: `msgbatch_vendor${batches}`,
    models: ['claude-sonnet-4-5', 'acme/claude', 'claude-haiku-4-5', 'acme/"small"'],
    createdAtMs: clock.nowMs + Math.floor(batches / 3),
    removedAtMs: null,
    addedFiles: [],
    ...more,
  })
  const add = (batch: BatchRecord): Promise<void> => store.transaction((nouns) => nouns.batches.add(batch))

  test('an owner gets only their own batches in the requested mode', async () => {
    const [ada, bob] = [await world.person(0n), await world.person(0n)]
    const own = batchOf(ada.endUserId)
    for (const batch of [own, batchOf(bob.endUserId), batchOf(ada.endUserId, { mode: 'test' })])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await add(batch)
    const page = { limit: 10, after: null, before: null }
    expect(await store.read.batches.of(own, 'anthropic', page)).toEqual({ batches: [own], hasMore: false })
    expect(await store.read.batches.byId(own, own.id)).toEqual(own)
    for (const other of [
      { ...own, endUserId: bob.endUserId },
      { ...own, mode: 'test' as const },
      { ...own, applicationId: 'app_other' },
    ])
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect(await store.read.batches.byId(other, own.id)).toBeNull()
    await store.transaction((nouns) => nouns.batches.forget(own.id))
    expect(await store.read.batches.byId(own, own.id)).toBeNull()
  })

  test('result files of batches are added once, do not count toward limits, and are not added again after they are deleted', async () => {
    const ada = await world.person(0n)
    const batch = batchOf(ada.endUserId, { format: 'openai' })
    await add(batch)
    const fileOf = (id: string): StoredFileRecord => ({
      applicationId: batch.applicationId,
      endUserId: batch.endUserId,
      mode: batch.mode,
      organizationId: batch.organizationId,
      id,
      accountId: batch.accountId,
      format: 'openai',
      providerId: `vendor-${id}`,
      filename: 'output.jsonl',
      kind: outputPurpose,
      bytes: 7,
      createdAtMs: clock.nowMs,
      expiresAtMs: null,
      removedAtMs: null,
    })
    const [output, error] = [fileOf('file-output'), fileOf('file-error')]
    const addFiles = (files: readonly StoredFileRecord[]): Promise<void> =>
      store.transaction((nouns) => nouns.batches.addFiles(batch, files))
    const ids = async (): Promise<readonly string[]> =>
      (await store.read.storedFiles.of(batch, 'openai', clock.nowMs)).map(({ id }) => id).toSorted()
    await Promise.all(Array.from({ length: 6 }, () => addFiles([output])))
    expect(await ids()).toEqual(['file-output'])
    await addFiles([output, error, error])
    expect(await ids()).toEqual(['file-error', 'file-output'])
    expect((await store.read.batches.byId(batch, batch.id))?.addedFiles).toEqual([
      output.providerId,
      error.providerId,
    ])
    expect(await store.read.storedFiles.sums(batch, clock.nowMs, 'files')).toEqual({ files: 0, bytes: 0 })
    await store.transaction(({ storedFiles }) => storedFiles.remove(batch, error.id, clock.nowMs))
    await addFiles([output, error])
    expect(await ids()).toEqual(['file-output'])
    await store.transaction(({ storedFiles }) => storedFiles.forget(error.id))
    await addFiles([output, error])
    expect(await ids()).toEqual(['file-output'])
    await store.transaction((nouns) => nouns.batches.forget(batch.id))
    await addFiles([fileOf('file-late')])
    expect(await ids()).toEqual(['file-output'])
  })

  test('the pages contain the whole list, whether they are read forward or backward', async () => {
    const ada = await world.person(0n)
    const all = Array.from({ length: 11 }, () => batchOf(ada.endUserId)).toReversed()
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (const batch of all) await add(batch)
    const [owner] = all
    if (owner === undefined) throw new Error('there are batches')
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.boolean(), async (limit, isBackward) => {
        const found: BatchRecord[] = []
        let at: BatchRecord | null = isBackward ? (all.at(-1) ?? null) : null
        for (let hasMore = true; hasMore;) {
          const page: Awaited<ReturnType<typeof store.read.batches.of>> = await store.read.batches.of(
            owner,
            'anthropic',
            { limit, after: isBackward ? null : at, before: isBackward ? at : null },
          )
          if (isBackward) found.unshift(...page.batches)
          else found.push(...page.batches)
          at = (isBackward ? page.batches[0] : page.batches.at(-1)) ?? null
          hasMore = page.hasMore
        }
        expect(found).toEqual(isBackward ? all.slice(0, -1) : all)
      }),
      sampledRuns(20),
    )
  })

  test('the batches of a deleted end user are kept until a provider has deleted them', async () => {
    const ada = await world.person(0n)
    const batch = batchOf(ada.endUserId)
    await add(batch)
    const person = await store.read.endUsers.byId(world.applicationId, ada.endUserId)
    if (person === null) throw new Error('the end user exists')
    await store.transaction(({ endUsers }) => endUsers.remove(person, clock.nowMs))
    expect(await store.read.batches.byId(batch, batch.id)).toBeNull()
    expect(await store.read.batches.removed(100)).toEqual([{ ...batch, removedAtMs: clock.nowMs }])
    await add(batchOf(ada.endUserId))
    await store.transaction((nouns) => nouns.batches.postpone(batch.id, clock.nowMs + 99))
    const removed = await store.read.batches.removed(100)
    expect(removed).toHaveLength(2)
    expect(removed.at(-1)?.id).toBe(batch.id)
    await store.transaction((nouns) => nouns.batches.forget(batch.id))
    expect(await store.read.batches.removed(100)).toHaveLength(1)
  })
})
