import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { hasPostgres, newDatabase, sql, startPostgres, type TestDatabase } from './start-postgres.ts'
import { reusedDatabase } from './reused-databases.ts'

test.skipIf(!hasPostgres)('each database is separate and empty', async () => {
  const [one, other] = await Promise.all([newDatabase(), newDatabase()])
  await sql(one.url, 'CREATE TABLE own (id INTEGER)')
  await sql(other.url, 'CREATE TABLE own (id INTEGER)')
  await one.drop()
  await expect(sql(one.url, 'SELECT 1')).rejects.toThrow('does not exist')
  await other.drop()
})

test.skipIf(!hasPostgres)('a durable server keeps committed data after an immediate stop', async () => {
  const server = await startPostgres({ isDurable: true })
  const url = server.url('postgres')
  await sql(url, 'CREATE TABLE kept (id INTEGER)')
  await server.stopImmediate()
  await expect(sql(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED')
  await server.start()
  await sql(url, 'SELECT * FROM kept')
  await server.end()
})

describe.runIf(hasPostgres)('a reused database', () => {
  const prepare = (url: string): Promise<void> =>
    sql(
      url,
      'CREATE TABLE prepared (id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, bytes BYTEA, text TEXT)',
      `INSERT INTO prepared (bytes, text) VALUES ('\\x00ff', 'it''s'), (NULL, NULL)`,
      'CREATE TABLE child (id INTEGER REFERENCES prepared (id))',
      `SELECT setval('prepared_id_seq', 3, false)`,
    )
  const open = (): Promise<TestDatabase> => reusedDatabase('reused_test', prepare)
  const rowsOf = async ({ url }: TestDatabase): Promise<unknown> => {
    const client = new Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(`SELECT id, encode(bytes, 'hex') AS bytes, text,
      (SELECT count(*)::int FROM child) AS children FROM prepared ORDER BY id`)
    await client.end()
    return rows
  }
  const prepared = [
    { id: 1, bytes: '00ff', text: "it's", children: 0 },
    { id: 2, bytes: null, text: null, children: 0 },
  ]

  test('a dropped database gets its original rows and sequences back', async () => {
    const first = await open()
    expect(await rowsOf(first)).toEqual(prepared)
    await sql(
      first.url,
      'DELETE FROM prepared WHERE id = 2',
      `INSERT INTO prepared (text) VALUES ('three')`,
      `UPDATE prepared SET text = 'changed'`,
      'INSERT INTO child VALUES (1)',
    )
    await first.drop()
    const second = await open()
    expect(second.url).toBe(first.url)
    expect(await rowsOf(second)).toEqual(prepared)
    await sql(second.url, `INSERT INTO prepared (text) VALUES ('three')`)
    expect(await rowsOf(second)).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }])
    await second.drop()
  })

  test('a database with a changed schema is deleted instead of reused', async () => {
    const first = await open()
    await sql(first.url, 'ALTER TABLE child DROP CONSTRAINT child_id_fkey')
    await first.drop()
    await expect(sql(first.url, 'SELECT 1')).rejects.toThrow('does not exist')
  })

  test('dropping a database twice does not take it from the next test', async () => {
    const first = await open()
    await first.drop()
    const second = await open()
    await sql(second.url, `UPDATE prepared SET text = 'mine'`)
    await first.drop()
    expect(await rowsOf(second)).toMatchObject([{ text: 'mine' }, { text: 'mine' }])
    const third = await open()
    expect(third.url).not.toBe(second.url)
    await Promise.all([second.drop(), third.drop()])
  })
})
