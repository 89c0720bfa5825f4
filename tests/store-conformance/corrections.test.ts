/** What puts a mistake right, on every engine: reversals of grants, refunds of calls, and late truths. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CreditResult } from '#domain/ledger.ts'
import { engines, type Opened } from './engines.ts'
import { startMs, World, type Caller } from './world.ts'

describe.each(engines)('corrections on $name', ({ open }) => {
  let opened: Opened
  let world: World
  const clock = { nowMs: startMs }

  beforeEach(async () => {
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
  })
  afterEach(() => opened.closeSound())

  async function grant(people: readonly Caller[], micros: bigint): Promise<string> {
    const result = await world.credit(
      people.map(({ endUserId }) => endUserId),
      micros,
    )
    if (result.kind !== 'credited') throw new Error(result.kind)
    return result.grantId
  }

  const reverse = (
    grantId: string,
    people: readonly Caller[],
    amount: bigint,
    more = {},
  ): Promise<CreditResult> =>
    world.credit(
      people.map(({ endUserId }) => endUserId),
      amount,
      { kind: 'reversal', reverses: grantId, reason: 'issued by mistake', ...more },
    )

  async function spend(caller: Caller, micros: number): Promise<void> {
    const request = world.request(caller, { input: 0, output: micros })
    await world.reserve(request)
    await world.settle(request, { output: micros })
  }

  describe('the reversal of a grant', () => {
    test('takes back what is unspent, once, and its entry names the grant', async () => {
      const caller = await world.person(0n)
      const id = await grant([caller], 500n)
      await spend(caller, 120)
      expect(await reverse(id, [caller], 500n)).toMatchObject({ kind: 'credited', endUsers: 1 })
      expect(await world.wallet(caller)).toEqual({ posted: 0n, held: 0n })
      await reverse(id, [caller], 500n)
      expect(await world.wallet(caller)).toEqual({ posted: 0n, held: 0n })
      const entries = await opened.store.database.read
        .selectFrom('ledger')
        .select(['kind', 'amount', 'grant_id', 'reason'])
        .where('kind', '=', 'reversal')
        .execute()
      expect(entries).toEqual([
        { kind: 'reversal', amount: -380n, grant_id: id, reason: 'issued by mistake' },
      ])
    })

    test('leaves other gifts alone: the oldest is spent first', async () => {
      const caller = await world.person(0n)
      const first = await grant([caller], 100n)
      const second = await grant([caller], 50n)
      await spend(caller, 120)
      await reverse(first, [caller], 100n)
      expect(await world.wallet(caller)).toEqual({ posted: 30n, held: 0n })
      await reverse(second, [caller], 50n)
      expect(await world.wallet(caller)).toEqual({ posted: 0n, held: 0n })
    })

    test('takes nothing that a call in flight holds', async () => {
      const caller = await world.person(0n)
      const id = await grant([caller], 500n)
      const request = world.request(caller, { input: 0, output: 400 })
      await world.reserve(request)
      await reverse(id, [caller], 500n)
      expect(await world.wallet(caller)).toEqual({ posted: 400n, held: 400n })
      await world.settle(request, { output: 100 })
      await reverse(id, [caller], 500n)
      expect(await world.wallet(caller)).toEqual({ posted: 0n, held: 0n })
    })

    test('is made once however many ask for it at once', async () => {
      const caller = await world.person(0n)
      const id = await grant([caller], 500n)
      await spend(caller, 100)
      await Promise.all(Array.from({ length: 20 }, () => reverse(id, [caller], 500n)))
      expect(await world.wallet(caller)).toEqual({ posted: 0n, held: 0n })
      const rows = await opened.store.database.read.selectFrom('grant_reversals').selectAll().execute()
      expect(rows.reduce((sum, row) => sum + row.reversed_micros, 0n)).toBe(400n)
    })

    test('under one idempotency key it is one reversal', async () => {
      const caller = await world.person(0n)
      const id = await grant([caller], 500n)
      const asked = { idempotencyKey: 'once', requestHash: 'a' }
      const first = await reverse(id, [caller], 500n, asked)
      expect(await reverse(id, [caller], 500n, asked)).toEqual({ ...first, isReplay: true })
    })

    test('of a gift in the same moment as another, takes its own alone', async () => {
      const caller = await world.person(0n)
      const id = await grant([caller], 100n)
      await Promise.all([grant([caller], 70n), reverse(id, [caller], 100n), grant([caller], 30n)])
      expect(await world.wallet(caller)).toEqual({ posted: 100n, held: 0n })
    })

    test('of many people goes in parts, and is finished for each of them', async () => {
      const people: Caller[] = []
      // oxlint-disable-next-line no-await-in-loop -- one transaction after the other
      for (let i = 0; i < 300; i++) people.push(await world.person(0n))
      const id = await grant(people, 10n)
      await spend(people[7] ?? people[0]!, 4)
      await reverse(id, people, 10n)
      const [row] = await opened.store.database.read.selectFrom('grant_reversals').selectAll().execute()
      expect(row).toMatchObject({ grant_id: id, reversed_micros: 2_996n, end_users: 300 })
      expect(await world.wallet(people[7] ?? people[0]!)).toEqual({ posted: 0n, held: 0n })
      expect(await world.wallet(people[299] ?? people[0]!)).toEqual({ posted: 0n, held: 0n })
    })
  })
})
