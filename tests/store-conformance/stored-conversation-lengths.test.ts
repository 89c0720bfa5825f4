import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { firstState, unknownTokens, type AddedItems } from '#domain/accounts/stored-conversation-lengths.ts'
import { conversationKind, type StoredFileRecord } from '#domain/accounts/files-stored-at-providers.ts'
import type { SettleRequest } from '#domain/ledger-interface.ts'
import type { Store } from '#domain/store-interface.ts'
import { ConversationLengthList } from '#gateway/stored-conversation-lengths.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { engines, type Opened } from './engines.ts'
import { startMs, World, type Caller } from './add-rows-that-calls-need.ts'

const limits = { filesMax: 9, fileBytesMax: 1_000 }
const id = 'conv_1'
const of = (tokens: number, atAddresses = 0): AddedItems => ({ tokens, atAddresses })

describe.each(engines)('lengths of conversations on $name', ({ open }) => {
  let opened: Opened
  let world: World
  let store: Store
  let lengths: ConversationLengthList
  let ada: Caller
  let conversation: StoredFileRecord
  const clock = { nowMs: startMs }

  beforeEach(async () => {
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
    store = sqlStore(opened.store.database)
    lengths = new ConversationLengthList(store)
    ada = await world.person(1_000_000n)
    conversation = {
      applicationId: world.applicationId,
      endUserId: ada.endUserId,
      mode: 'live',
      organizationId: world.organizationId,
      id,
      accountId: 'pa_1',
      format: 'openai',
      providerId: 'conv_vendor',
      filename: '',
      kind: conversationKind,
      bytes: 0,
      createdAtMs: clock.nowMs,
      expiresAtMs: null,
      removedAtMs: null,
      lengthState: firstState({ tokens: 10, atAddresses: 0 }),
    }
    await add()
  })
  afterEach(() => opened.close())

  const add = (more: Partial<StoredFileRecord> = {}): Promise<boolean> =>
    store.transaction(({ storedFiles }) => storedFiles.add({ ...conversation, ...more }, limits))
  const read = () => lengths.read(conversation, id)

  /** The conversation must be unlocked. */
  async function unlocked() {
    const length = await read()
    if (length === null || length === 'locked') throw new Error(`the conversation is ${length}`)
    return length
  }

  async function begun(isWhole = true, atAddresses = 0) {
    const seen = await unlocked()
    const request = world.request(ada, { input: 100, output: 200 })
    expect(await world.reserve(request)).toMatchObject({ kind: 'reserved' })
    expect(await lengths.lock(conversation, id, seen, { id: request.callId, isWhole, atAddresses })).toBe(
      true,
    )
    expect(await read()).toBe('locked')
    return { seen, request }
  }

  const settle = (request: ReturnType<World['request']>, more: Partial<SettleRequest> = {}) =>
    opened.store.ledger.settle({
      ...world.settlement(request, { input: 30, output: 4 }),
      usage: { ...zeroUsage, input: 30, cacheRead: 5, output: 4, reasoning: 3 },
      ...more,
    })

  test('a settled call unlocks the conversation, and stores its reported usage as the length', async () => {
    expect(await read()).toMatchObject({ tokens: 10, model: null })
    const { request } = await begun()
    expect(await lengths.beginItems(conversation, id, of(7))).toBe('locked')
    await settle(request)
    expect(await read()).toMatchObject({ tokens: 39, model: request.target.model })
  })

  test.each(['estimated', 'released', 'truncated', 'without tokens'])(
    'if a call does not report the length of all items, the length of the conversation is unknown (%s)',
    async (end) => {
      const { request } = await begun(end !== 'truncated')
      if (end === 'released') await world.release(request)
      else if (end === 'truncated') await settle(request)
      else if (end === 'estimated') await settle(request, { tokenSource: 'estimated' })
      else await settle(request, { usage: zeroUsage })
      expect(await read()).toMatchObject({ tokens: unknownTokens, model: null })
    },
  )

  test('a call cannot lock a conversation that has changed, and a rejected call changes nothing', async () => {
    const before = await unlocked()
    const { request, seen } = await begun()
    expect(await lengths.lock(conversation, id, before, { id: 'other', isWhole: true, atAddresses: 0 })).toBe(
      false,
    )
    await lengths.unlock(conversation, id, seen, 'other')
    expect(await read()).toBe('locked')
    await lengths.unlock(conversation, id, seen, request.callId)
    expect(await read()).toEqual(before)
    await world.release(request)
    expect(await read()).toEqual(before)
  })

  test('added items count toward the length before they are sent, and until a call has read them', async () => {
    expect(await lengths.beginItems(conversation, id, of(100))).toBe('begun')
    expect(await read()).toMatchObject({ tokens: 110 })
    // The items are added during the call, so the call may not have read them.
    const { request } = await begun()
    await lengths.endItems(conversation, id, of(100), true)
    await settle(request)
    expect(await read()).toMatchObject({ tokens: 139 })
    const next = await begun()
    await settle(next.request)
    expect(await read()).toMatchObject({ tokens: 39 })
    expect(await lengths.beginItems(conversation, id, of(50))).toBe('begun')
    await lengths.endItems(conversation, id, of(50), false)
    expect(await read()).toMatchObject({ tokens: 39 })
  })

  test('content that is fetched from a URL is added to the length after every call, because the content may grow', async () => {
    const { request } = await begun(true, 1_000)
    await settle(request)
    expect(await read()).toMatchObject({ tokens: 1_039 })
    await lengths.beginItems(conversation, id, of(300, 200))
    await lengths.endItems(conversation, id, of(300, 200), true)
    const next = await begun()
    await settle(next.request)
    expect(await read()).toMatchObject({ tokens: 1_239 })
    await lengths.beginItems(conversation, id, of(5, 4))
    await lengths.endItems(conversation, id, of(5, 4), false)
    const rejected = await begun(true, 7)
    await lengths.unlock(conversation, id, rejected.seen, rejected.request.callId)
    await world.release(rejected.request)
    expect(await read()).toMatchObject({ tokens: 1_239 })
  })

  test('items that are added concurrently all count, even if a call that is rejected runs at the same time', async () => {
    const sizes = [1, 2, 4, 8, 16, 32]
    await Promise.all(sizes.map((tokens) => lengths.beginItems(conversation, id, of(tokens))))
    expect(await read()).toMatchObject({ tokens: 73 })
    const { request, seen } = await begun()
    await Promise.all(sizes.map((tokens) => lengths.endItems(conversation, id, of(tokens), tokens > 8)))
    await lengths.unlock(conversation, id, seen, request.callId)
    await world.release(request)
    expect(await read()).toMatchObject({ tokens: 58 })
  })

  test('a conversation without a stored length has an unknown length, and another end user’s conversation is not found', async () => {
    const bob = await world.person(1n)
    await add({ id: 'conv_old', lengthState: null })
    expect(await lengths.read(conversation, 'conv_old')).toMatchObject({
      tokens: unknownTokens,
      version: null,
    })
    expect(await lengths.beginItems(conversation, 'conv_old', of(5))).toBe('begun')
    const stranger = { ...conversation, endUserId: bob.endUserId }
    expect(await lengths.read(stranger, id)).toBeNull()
    expect(await lengths.beginItems(stranger, id, of(5))).toBe('missing')
    const seen = await unlocked()
    expect(await lengths.lock(stranger, id, seen, { id: 'other', isWhole: true, atAddresses: 0 })).toBe(false)
    await store.transaction(({ storedFiles }) => storedFiles.remove(conversation, id, clock.nowMs))
    expect(await read()).toBeNull()
  })
})
