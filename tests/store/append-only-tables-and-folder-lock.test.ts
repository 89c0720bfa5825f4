/** The database file itself rejects certain writes, from any program. */
import { copyFileSync, existsSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import { SqliteError } from '#store/sqlite/classify-sqlite-errors.ts'
import { openConnection } from '#store/sqlite/connection.ts'
import { openSqlite, sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { verifySqlite } from '#store/sqlite/verify.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { eventually } from '../support/start-product.ts'
import { type Opened, openTemporary } from '../store-conformance/engines.ts'
import { type Caller, startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'

let opened: Opened & { readonly folder: string }
let world: World
let caller: Caller

beforeEach(async () => {
  opened = await openTemporary({ writer: 'inline', nowMs: () => startMs })
  world = new World(opened.store, { nowMs: startMs })
  await world.found()
  caller = await world.person(1_000n)
})
afterEach(() => opened.close())

async function calls(): Promise<void> {
  await world.outcome('report', 1_000n)
  const outcome = { slug: 'report', runId: 'run-1', ceilingMicros: 1_000n }
  for (const more of [{}, { outcome }]) {
    const request = world.request(caller, { input: 100, output: 100 }, more)
    await world.reserve(request)
    await world.settle(request, { input: 50, output: 50 })
  }
  await world.reserve(world.request(caller, { input: 100, output: 100 }))
}

describe('append-only tables', () => {
  test.each([
    ['ledger', 'amount = 1'],
    ['usage_records', 'charge_micros = 1'],
    ['quotes', "body = ''"],
  ])('rows of %s can be neither changed nor deleted', async (table, change) => {
    await calls()
    const connection = openConnection(sqlitePath(opened.folder), 'write')
    expect(() => connection.exec(`UPDATE ${table} SET ${change}`)).toThrow(`${table} is append-only`)
    expect(() => connection.exec(`DELETE FROM ${table}`)).toThrow(`${table} is append-only`)
    connection.close()
  })
})

describe('the lock of a data folder', () => {
  test('a second server on a data folder is rejected with a clear error, and the first server continues', async () => {
    const { folder } = opened
    await expect(openTemporary({ folder, nowMs: () => startMs })).rejects.toThrow(
      `Another Tollgate server is using the data folder ${folder}`,
    )
    expect((await world.reserve(world.request(caller, { input: 1, output: 1 }))).kind).toBe('reserved')
  })

  test('a data folder can be used again after its server has stopped normally', async () => {
    const { folder } = opened
    await opened.store.close()
    const next = await openTemporary({ folder, nowMs: () => startMs })
    await next.store.close()
    expect(existsSync(folder)).toBe(true)
  })

  test('verify can check the store while a server uses the data folder', async () => {
    await calls()
    const results = await verifySqlite(sqlitePath(opened.folder))
    expect(results.filter(({ difference }) => difference !== null)).toEqual([])
  })
})

describe('a file that was removed or replaced while its store is open', () => {
  test('the store accepts no writes until the original file is back, and a waiting settle is then charged', async () => {
    const path = sqlitePath(opened.folder)
    const aside = `${path}.aside`
    const request = world.request(caller, { input: 100, output: 100 })
    await world.reserve(request)
    // A release waits if the store notices the file after the reserve.
    const releases: Promise<void>[] = []
    for (const replace of [() => {}, () => copyFileSync(aside, path)]) {
      renameSync(path, aside)
      replace()
      // The store looks at the file once a second.
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await eventually(async () => {
        const other = world.request(caller, { input: 1, output: 1 })
        const error: unknown = await world.reserve(other).catch((thrown: unknown) => thrown)
        if (!(error instanceof Error)) releases.push(world.release(other))
        expect(error).toBeInstanceOf(StoreUnavailable)
      })
      const changing = opened.store.database.transaction((tx) =>
        tx.updateTable('organizations').set({ name: 'Never' }).execute(),
      )
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await expect(changing).rejects.toThrow(`the file ${path} was removed or replaced`)
      rmSync(path, { force: true })
      renameSync(aside, path)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await eventually(async () => {
        const other = world.request(caller, { input: 1, output: 1 })
        expect((await world.reserve(other)).kind).toBe('reserved')
        await world.release(other)
      })
    }
    renameSync(path, aside)
    const settling = world.settle(request, { input: 50, output: 50 })
    renameSync(aside, path)
    expect(await settling).toMatchObject({ chargeMicros: 100n })
    await Promise.all(releases)
    await opened.verify()
  })

  test('if the server cannot look at the file, the store accepts no writes, and a waiting settle is charged later', async () => {
    const path = sqlitePath(opened.folder)
    const aside = `${path}.aside`
    const request = world.request(caller, { input: 100, output: 100 })
    await world.reserve(request)
    const releases: Promise<void>[] = []
    renameSync(path, aside)
    symlinkSync(path, path)
    await eventually(async () => {
      const other = world.request(caller, { input: 1, output: 1 })
      const error: unknown = await world.reserve(other).catch((thrown: unknown) => thrown)
      if (!(error instanceof Error)) releases.push(world.release(other))
      expect(error).toBeInstanceOf(StoreUnavailable)
    })
    const settling = world.settle(request, { input: 50, output: 50 })
    // The batch with the settle has failed when a later operation fails.
    await expect(world.reserve(world.request(caller, { input: 1, output: 1 }))).rejects.toThrow('ELOOP')
    rmSync(path)
    renameSync(aside, path)
    expect(await settling).toMatchObject({ chargeMicros: 100n })
    await Promise.all(releases)
    await opened.verify()
  })
})

test('a log without its file is kept, and no new store is created', async () => {
  await calls()
  const folder = newDataFolder('log-only')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = sqlitePath(folder)
  for (const part of ['', '-wal']) copyFileSync(sqlitePath(opened.folder) + part, path + part)
  rmSync(path)
  const open = () => openSqlite({ folder, nowMs: () => startMs, onFatal: () => {} })
  await expect(open()).rejects.toThrow(`${path} is missing or empty, but its log ${path}-wal is not empty`)
  copyFileSync(sqlitePath(opened.folder), path)
  const store = await open()
  await store.close()
  expect((await verifySqlite(path)).filter(({ difference }) => difference !== null)).toEqual([])
})

test('a start on a full disk names the data folder and what to do', async () => {
  const folder = newDataFolder('full')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const openReaders = () => {
    const full = new SqliteError('full', 'database or disk is full')
    return Promise.reject(new Error('migrate the store to version 1', { cause: full }))
  }
  const opening = openSqlite({ folder, openReaders, nowMs: () => startMs, onFatal: () => {} })
  await expect(opening).rejects.toThrow(`The disk of the data folder ${folder} is full. Free some space`)
})
