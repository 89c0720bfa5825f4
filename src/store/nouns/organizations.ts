import type { Organizations } from '#domain/store.ts'
import type { Query } from '#store/sql/database.ts'

export function organizations(query: Query): Organizations {
  return {
    async insert(organization) {
      await query
        .insertInto('organizations')
        .values({
          id: organization.id,
          code: organization.code,
          name: organization.name,
          created_at_ms: organization.createdAtMs,
        })
        .execute()
    },
    async byId(id) {
      const row = await query.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst()
      return row ? { id: row.id, code: row.code, name: row.name, createdAtMs: row.created_at_ms } : null
    },
    async count() {
      const row = await query
        .selectFrom('organizations')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return row.count
    },
    async isCodeTaken(code) {
      const row = await query
        .selectFrom('organizations')
        .select('id')
        .where('code', '=', code)
        .executeTakeFirst()
      return row !== undefined
    },
  }
}
