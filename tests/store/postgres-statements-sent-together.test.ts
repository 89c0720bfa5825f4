import type { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connect } from '#store/postgres/connection.ts'
import { postgresCode } from '#store/postgres/classify-postgres-errors.ts'
import { commit, type Sent, sendAll } from '#store/postgres/send-statements-together.ts'
import { hasPostgres, newDatabase, sql, type TestDatabase } from '../support/start-postgres.ts'

const begin: Sent = { name: 'begin', text: 'BEGIN', values: [] }
const insert = (value: unknown): Sent => ({
  name: 'insert',
  text: 'INSERT INTO kept (value) SELECT * FROM unnest($1::int8[])',
  values: [[value]],
})
const read: Sent = { name: 'read', text: 'SELECT value FROM kept ORDER BY value', values: [] }

describe.skipIf(!hasPostgres)('statements that are sent together', () => {
  let database: TestDatabase
  let client: Client
  let other: Client

  beforeEach(async () => {
    database = await newDatabase()
    await sql(database.url, 'CREATE TABLE kept (value BIGINT CHECK (value < 10))')
    client = await connect({ url: database.url, access: 'write', isPipelined: true })
    other = await connect({ url: database.url, access: 'write', isPipelined: true })
  })
  afterEach(async () => {
    await Promise.all([client.end(), other.end()])
    await database.drop()
  })

  const kept = async (): Promise<unknown> => (await sendAll(other, [read]))[0]?.map(({ value }) => value)

  test('SQL statements that are sent together are answered in order, each with its own rows', async () => {
    const [, , rows, , more] = await sendAll(client, [begin, insert(1), read, insert(2n), read, commit])
    expect([rows, more]).toEqual([[{ value: 1n }], [{ value: 1n }, { value: 2n }]])
    expect(await kept()).toEqual([1n, 2n])
  })

  test('if one of several SQL statements that are sent together fails, all are rolled back, and the first failure is thrown', async () => {
    const error: unknown = await sendAll(client, [begin, insert(1), insert(11), insert(2), commit]).catch(
      (thrown: unknown) => thrown,
    )
    expect(postgresCode(error)).toBe('broken')
    expect(await kept()).toEqual([])
  })

  test('if an SQL statement cannot be sent, the later statements are not sent, so nothing is committed without it', async () => {
    const noText = {
      toPostgres() {
        throw new Error('no text')
      },
    }
    const failing = sendAll(client, [begin, insert(1), insert(noText), insert(2), commit])
    await expect(failing).rejects.toThrow('no text')
    expect(await kept()).toEqual([])
    await sendAll(client, [{ name: 'rollback', text: 'ROLLBACK', values: [] }])
    expect(await kept()).toEqual([])
  })

  test('statements in a transaction that has already failed do not count as committed', async () => {
    await expect(sendAll(client, [begin, insert(11)])).rejects.toThrow('violates check constraint')
    await expect(sendAll(client, [commit])).rejects.toThrow('rolled back')
  })

  test('if a connection breaks, all SQL statements that were sent together on it fail with an unknown result', async () => {
    const cut: Sent = {
      name: 'cut',
      text: 'SELECT pg_terminate_backend(pg_backend_pid())',
      values: [],
    }
    const error: unknown = await sendAll(client, [begin, insert(1), cut, commit]).catch(
      (thrown: unknown) => thrown,
    )
    expect(postgresCode(error)).toBe('lost')
    expect(await kept()).toEqual([])
  })
})
