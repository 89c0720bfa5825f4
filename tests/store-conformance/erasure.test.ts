/** Every text column of a table with rows of an end user states the effect of deleting the end user. */
import { expect, test } from 'vitest'
import { erasure } from '#store/sql/erasure.ts'
import { engines } from './engines.ts'
import { startMs } from './world.ts'

test.each(engines)('$name: the fate of each text column of an end user is listed', async ({ open }) => {
  const opened = await open(() => startMs)
  const tables = await opened.store.database.read.introspection.getTables()
  await opened.close()
  const listed: Readonly<Record<string, 'row' | Readonly<Record<string, string>>>> = erasure
  const unlisted = tables
    .filter(({ name }) => !/_\d{4}_\d{2}$/.test(name))
    .filter(
      ({ columns, name }) => name === 'end_users' || columns.some((column) => column.name === 'end_user_id'),
    )
    .flatMap(({ columns, name: table }) => {
      const fates = listed[table] ?? {}
      if (fates === 'row') return []
      return columns
        .filter(({ dataType, name }) => /text|char/i.test(dataType) && !(name in fates))
        .map(({ name }) => `${table}.${name}`)
    })
  expect(unlisted).toEqual([])
})
