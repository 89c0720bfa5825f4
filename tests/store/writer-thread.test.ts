import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SqliteThread } from '#store/sqlite/thread.ts'
import type { Roles } from '#store/sqlite/thread-main.ts'
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
