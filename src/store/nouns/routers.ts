import type { RouterRecord, Routers } from '#domain/router-records.ts'
import { routerDefinitionFromText, routerDefinitionToText } from '#store/rows/router-definition-column.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { RouterRow } from '#store/sql/schema.ts'
import { removeBundlePrices } from './aliases.ts'
import { every, first, newestFirst } from './read-rows-and-pages.ts'

export function routers(query: Query): Routers {
  const own = (applicationId: string) =>
    query.selectFrom('routers').selectAll().where('application_id', '=', applicationId)
  return {
    byName: (applicationId, name) => first(own(applicationId).where('name', '=', name), routerOf),
    names: (applicationId) => every(own(applicationId).orderBy('name'), ({ name }) => name),
    all: (applicationId) => every(own(applicationId).orderBy('name'), routerOf),
    list: (applicationId, page) => newestFirst(own(applicationId), page, 'name', routerOf),
    async put({ applicationId, createdAtMs, name, ...rest }) {
      const definition = routerDefinitionToText(rest)
      await query
        .insertInto('routers')
        .values({ application_id: applicationId, name, definition, created_at_ms: createdAtMs })
        .onConflict((conflict) => conflict.columns(['application_id', 'name']).doUpdateSet({ definition }))
        .execute()
    },
    async remove(applicationId, name) {
      await removeBundlePrices(query, applicationId, name)
      await query
        .deleteFrom('routers')
        .where('application_id', '=', applicationId)
        .where('name', '=', name)
        .execute()
    },
  }
}

function routerOf(row: RouterRow): RouterRecord {
  return {
    applicationId: row.application_id,
    name: row.name,
    createdAtMs: row.created_at_ms,
    ...routerDefinitionFromText(row.definition),
  }
}
