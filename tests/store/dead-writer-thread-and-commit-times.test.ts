import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqlite, sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { SqliteThread } from '#store/sqlite/call-connection-thread.ts'
import type { Roles } from '#store/sqlite/entry-of-connection-thread.ts'
import { newDataFolder } from '../support/data-folder.ts'

test('a writer thread that dies is reported, and its operations fail', async () => {
  const folder = newDataFolder('thread')
  const fatal: Error[] = []
  const path = join(folder, 'there', 'is', 'no', 'such.db')
  const thread = new SqliteThread<Roles['writer']>(
    'writer',
    { path, epoch: 1 },
    {
      onFatal: (error) => fatal.push(error),
    },
  )
  await expect(thread.call('begin')).rejects.toThrow('the writer thread of the store has died')
  expect(fatal).toHaveLength(1)
  await expect(thread.call('begin')).rejects.toThrow('the store is closed')
  await thread.close()
  rmSync(folder, { recursive: true })
})

test('the response to a batch reports how long its commit took, and other responses report no duration', async () => {
  const folder = newDataFolder('thread')
  const onFatal = (error: Error): void => expect.unreachable(String(error))
  const store = await openSqlite({ folder, nowMs: () => 1_000, onFatal })
  await store.close()
  const seen: (number | string)[] = []
  const thread = new SqliteThread<Roles['writer']>(
    'writer',
    { path: sqlitePath(folder), epoch: store.epoch },
    { onFatal, onCommit: (durationMs) => seen.push(durationMs) },
  )
  for (const method of ['ready', 'run', 'openOfOthers', 'run'] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await (method === 'run' ? thread.call(method, []) : thread.call(method))
    seen.push(method)
  }
  await thread.close()
  const duration = expect.any(Number) as number
  expect(seen).toEqual(['ready', duration, 'run', 'openOfOthers', duration, 'run'])
  rmSync(folder, { recursive: true })
})
