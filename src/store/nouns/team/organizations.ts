import type { Organizations } from '#domain/store-interface.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { every, first } from '#store/nouns/read-rows-and-pages.ts'

export function organizations(query: Query): Organizations {
  const rows = query.selectFrom('organizations').selectAll()
  return {
    async insert(organization) {
      await query.insertInto('organizations').values(columnsOf(organization)).execute()
    },
    byId: (id) => first(rows.where('id', '=', id), fieldsOf),
    all: () => every(rows.orderBy('id'), fieldsOf),
    async count() {
      const row = await query
        .selectFrom('organizations')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return row.count
    },
    isCodeTaken: async (code) => (await rows.where('code', '=', code).executeTakeFirst()) !== undefined,
  }
}
