import { expect, test } from 'vitest'
import { hasPostgres, newDatabase, sql, startPostgres } from './postgres.ts'

test.skipIf(!hasPostgres)('each database is a copy of the prepared one, and its own', async () => {
  const prepare = (url: string): Promise<void> => sql(url, 'CREATE TABLE prepared (id INTEGER)')
  const [one, other] = await Promise.all([newDatabase(prepare), newDatabase(prepare)])
  await sql(one.url, 'DROP TABLE prepared')
  await sql(other.url, 'SELECT * FROM prepared')
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
