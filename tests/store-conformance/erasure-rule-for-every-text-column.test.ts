/** A rule for each text column with data of an end user states what happens when the end user is deleted. */
import { expect, test } from 'vitest'
import { erasure } from '#store/sql/end-user-erasure.ts'
import { engines } from './engines.ts'
import { startMs } from './add-rows-that-calls-need.ts'

test.each(engines)(
  '$name: for every text column with data of an end user, a rule states what a deletion does to it',
  async ({ open }) => {
    const opened = await open(() => startMs)
    const tables = await opened.store.database.read.introspection.getTables()
    await opened.close()
    const listed: Readonly<Record<string, 'row' | Readonly<Record<string, string>>>> = erasure
    const unlisted = tables
      .filter(({ name }) => !/_\d{4}_\d{2}$/.test(name))
      .filter(
        ({ columns, name }) =>
          name === 'end_users' || columns.some((column) => column.name === 'end_user_id'),
      )
      .flatMap(({ columns, name: table }) => {
        const fates = listed[table] ?? {}
        if (fates === 'row') return []
        return columns
          .filter(({ dataType, name }) => /text|char/i.test(dataType) && !(name in fates))
          .map(({ name }) => `${table}.${name}`)
      })
    expect(unlisted).toEqual([])
  },
)
