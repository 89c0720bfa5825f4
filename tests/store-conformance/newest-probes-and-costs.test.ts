import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ProbeRecord } from '#domain/health/provider-probes.ts'
import type { Store } from '#domain/store-interface.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { engines, type Opened } from './engines.ts'
import { startMs, World } from './add-rows-that-calls-need.ts'

describe.each(engines)('probes on $name', ({ open }) => {
  let opened: Opened
  let world: World
  let store: Store
  const clock = { nowMs: startMs }
  beforeEach(async () => {
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found({ allow: '[]', deny: '[]' })
    store = sqlStore(opened.store.database)
  })
  afterEach(() => opened.close())

  test('the newest probe of each account and the sum of all probe costs are found, even for deleted accounts', async () => {
    const probe = (n: number, fields: Partial<ProbeRecord>): ProbeRecord => ({
      id: `0000${n}`,
      organizationId: world.organizationId,
      accountId: 'pa_1',
      model: 'm',
      status: 200,
      latencyMs: 9,
      inputTokens: 8,
      outputTokens: 1,
      costMicros: 5n,
      errorCode: null,
      said: null,
      createdAtMs: startMs + n,
      ...fields,
    })
    const nothing = { status: null, inputTokens: null, outputTokens: null, costMicros: null }
    const all = [
      probe(1, {}),
      probe(2, { accountId: 'pa_2', costMicros: 7n }),
      probe(3, { ...nothing, errorCode: 'upstream_timeout', said: 'late' }),
    ]
    expect(await store.read.probes.costMicros(world.organizationId, 0, startMs + 9)).toBe(0n)
    for (const one of all) await store.transaction(({ probes }) => probes.insert(one))
    expect(await store.read.probes.newest(world.organizationId)).toEqual([all[2], all[1]])
    expect(await store.read.probes.newest('org_other')).toEqual([])
    expect(await store.read.probes.newestFailed(world.organizationId, 'pa_1')).toEqual(all[2])
    expect(await store.read.probes.newestFailed(world.organizationId, 'pa_2')).toBeNull()
    const costOf = (fromMs: number, toMs: number) =>
      store.read.probes.costMicros(world.organizationId, fromMs, toMs)
    expect(await costOf(startMs, startMs + 9)).toBe(12n)
    expect(await costOf(startMs + 2, startMs + 3)).toBe(7n)
    expect(await costOf(startMs + 3, startMs + 9)).toBe(0n)
  })
})
