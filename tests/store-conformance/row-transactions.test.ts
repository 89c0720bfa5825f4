import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { postgresCode } from '#store/postgres/classify-postgres-errors.ts'
import { sqliteCode } from '#store/sqlite/classify-sqlite-errors.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { engines, type Opened } from './engines.ts'
import { startMs, World } from './add-rows-that-calls-need.ts'
import { isReadOnlyError } from '#tests/support/read-only-error.ts'

describe.each(engines)('rows on $name', ({ open }) => {
  let opened: Opened
  let world: World
  const clock = { nowMs: startMs }

  beforeEach(async () => {
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
  })
  afterEach(() => opened.close())

  const names = async (): Promise<string[]> => {
    const rows = await opened.store.database.read.selectFrom('organizations').select('name').execute()
    return rows.map(({ name }) => name)
  }
  const rename = (name: string) => (tx: Query) => tx.updateTable('organizations').set({ name }).execute()

  test('the data of a transaction can be read once the transaction has resolved', async () => {
    const { database } = opened.store
    const answer = await database.transaction(async (tx) => {
      await rename('Inside')(tx)
      const inside = await tx.selectFrom('organizations').select('name').executeTakeFirst()
      return [inside?.name, ...(await names())]
    })
    expect(answer).toEqual(['Inside', 'Acme'])
    expect(await names()).toEqual(['Inside'])
  })

  test('if a bundle does not record whether its debit basis was chosen, only the sell price counts as chosen', async () => {
    const { database } = opened.store
    const { bundles } = sqlStore(database).read
    const isChosen = async () => (await bundles.bySlug(world.applicationId, 'plain'))?.isDebitBasisChosen
    const set = (values: {
      debit_basis: 'provider_cost' | 'sell_price'
      is_debit_basis_chosen: 0 | 1 | null
    }) => database.transaction((tx) => tx.updateTable('bundles').set(values).execute())
    for (const [debitBasis, stored, expected] of [
      ['provider_cost', null, false],
      ['sell_price', null, true],
      ['provider_cost', 0, false],
      ['provider_cost', 1, true],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one row, changed in turn
      await set({ debit_basis: debitBasis, is_debit_basis_chosen: stored })
      // oxlint-disable-next-line no-await-in-loop -- the same
      expect([debitBasis, stored, await isChosen()]).toEqual([debitBasis, stored, expected])
    }
  })

  test('an error rolls back the transaction and is thrown again', async () => {
    const failing = opened.store.database.transaction(async (tx) => {
      await rename('Never')(tx)
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await names()).toEqual(['Acme'])
  })

  test('transactions run one after the other, even if one fails', async () => {
    const { database } = opened.store
    const results = await Promise.allSettled([
      database.transaction(rename('One')),
      database.transaction(() => Promise.reject(new Error('no'))),
      database.transaction(
        async (tx) => (await tx.selectFrom('organizations').select('name').execute())[0]?.name,
      ),
    ])
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'rejected'))[2]).toBe(
      'One',
    )
  })

  test('operations on an end user’s money wait for a transaction that has changed the end user, and then continue', async () => {
    const caller = await world.person(100n)
    const order: string[] = []
    const gate = Promise.withResolvers<void>()
    const changed = Promise.withResolvers<void>()
    const transaction = opened.store.database.transaction(async (tx) => {
      await tx
        .updateTable('end_users')
        .set({ frozen_at_ms: startMs })
        .where('id', '=', caller.endUserId)
        .execute()
      changed.resolve()
      await gate.promise
      order.push('transaction')
    })
    await changed.promise
    const reserve = world.reserve(world.request(caller, { input: 1, output: 1 })).then((result) => {
      order.push('reserve')
      return result
    })
    // After one round trip to the store, the ledger has sent the reserve.
    await names()
    gate.resolve()
    await transaction
    expect(await reserve).toMatchObject({ kind: 'refused', code: 'end_user_frozen' })
    expect(order).toEqual(['transaction', 'reserve'])
  })

  test('a write through `read` is rejected, and so is a transaction through `read`', async () => {
    const { read } = opened.store.database
    await expect(rename('Never')(read)).rejects.toSatisfy(isReadOnlyError)
    await expect(read.transaction().execute(rename('Never'))).rejects.toThrow('Database.transaction')
    expect(await names()).toEqual(['Acme'])
  })

  test.each(['holds', 'sources', 'ledger'] as const)('only the ledger may write %s', async (table) => {
    const attempt = opened.store.database.transaction((tx) => tx.deleteFrom(table).execute())
    await expect(attempt).rejects.toThrow('by the ledger alone')
  })

  test('a row with an existing key is rejected, and the error names the conflict', async () => {
    const twice = opened.store.database.transaction((tx) =>
      tx
        .insertInto('organizations')
        .values({ id: world.organizationId, code: 'other', name: 'Twice', created_at_ms: 1 })
        .execute(),
    )
    const error: unknown = await twice.catch((thrown: unknown) => thrown)
    expect(sqliteCode(error) ?? postgresCode(error)).toBe('unique')
  })

  test('the store returns money as bigint and every other number, including sums and counts, as number', async () => {
    const caller = await world.person(2n ** 59n)
    const { read } = opened.store.database
    const row = await read
      .selectFrom('sources')
      .select((eb) => [
        'posted',
        eb.fn.sum<bigint>('posted').as('sum_micros'),
        eb.fn.countAll<number>().as('rows'),
      ])
      .where('end_user_id', '=', caller.endUserId)
      .groupBy('posted')
      .executeTakeFirst()
    expect(row).toEqual({ posted: 2n ** 59n, sum_micros: 2n ** 59n, rows: 1 })
  })
})
