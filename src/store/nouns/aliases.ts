import { sql } from 'kysely'
import type { AliasRecord } from '#domain/model-name-record.ts'
import type { Aliases } from '#domain/store-interface.ts'
import { aliasSourcesFromText, aliasSourcesToText, ceilingsFromText } from '#store/rows/json-columns.ts'
import { columnsOf, fieldsOf, flag } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { grouped, lookUps } from '#store/sql/look-up-many-ids-at-once.ts'
import type { AliasRow } from '#store/sql/schema.ts'
import { every, first, newestFirst } from './read-rows-and-pages.ts'
import { sortedPage } from './sorted-page.ts'

export function aliases(query: Query): Aliases {
  const own = (applicationId: string) =>
    query.selectFrom('aliases').selectAll().where('application_id', '=', applicationId)
  const namesOf = lookUps(async (_, applicationIds) => {
    const rows = query.selectFrom('aliases').select(['application_id', 'name'])
    return grouped(
      await rows.where('application_id', 'in', applicationIds).orderBy('name').execute(),
      (row) => row.application_id,
      ({ name }) => name,
    )
  })
  const bundlesPricing = lookUps(async (applicationId, names) => {
    const rows = await query
      .selectFrom('bundle_prices')
      .innerJoin('bundles', 'bundles.id', 'bundle_prices.bundle_id')
      .select(['bundles.slug', 'bundle_prices.alias'])
      .where('bundles.application_id', '=', applicationId)
      .where('bundle_prices.alias', 'in', names)
      .where('bundle_prices.price', 'is not', null)
      .orderBy('bundles.slug')
      .execute()
    return grouped(
      rows,
      (row) => row.alias,
      ({ slug }) => slug,
    )
  })
  return {
    byName: (applicationId, name) => first(own(applicationId).where('name', '=', name), aliasOf),
    names: async (applicationId) => (await namesOf('', applicationId)) ?? [],
    all: (applicationId) => every(own(applicationId).orderBy('name'), aliasOf),
    list(applicationId, { sorting, ...page }) {
      if (sorting === undefined) return newestFirst(own(applicationId), page, 'name', aliasOf)
      const value = sorting.by === 'name' ? sql.ref('name') : sql.ref('created_at_ms')
      return sortedPage(query, own(applicationId), { value, id: 'name' }, { ...page, sorting }, aliasOf)
    },
    async put({ sources, ceilings, ...alias }) {
      const fields = { sources: aliasSourcesToText(sources), ceilings: JSON.stringify(ceilings) }
      await query
        .insertInto('aliases')
        .values({ ...columnsOf(alias), ...fields })
        .onConflict((conflict) => conflict.columns(['application_id', 'name']).doUpdateSet(fields))
        .execute()
    },
    async setDisabled(applicationId, name, isDisabled) {
      await query
        .updateTable('aliases')
        .set({ is_disabled: flag(isDisabled) })
        .where('application_id', '=', applicationId)
        .where('name', '=', name)
        .execute()
    },
    async remove(applicationId, name) {
      await removeBundlePrices(query, applicationId, name)
      await query
        .deleteFrom('aliases')
        .where('application_id', '=', applicationId)
        .where('name', '=', name)
        .execute()
    },
    pricedIn: async (applicationId, name) => (await bundlesPricing(applicationId, name)) ?? [],
  }
}

/** Deletes the prices that bundles set for the model name of an alias or a router. */
export async function removeBundlePrices(query: Query, applicationId: string, name: string): Promise<void> {
  await query
    .deleteFrom('bundle_prices')
    .where('alias', '=', name)
    .where('bundle_id', 'in', (eb) =>
      eb.selectFrom('bundles').select('id').where('application_id', '=', applicationId),
    )
    .execute()
}

function aliasOf(row: AliasRow): AliasRecord {
  return {
    ...fieldsOf(row),
    sources: aliasSourcesFromText(row.sources),
    ceilings: ceilingsFromText(row.ceilings),
    isDisabled: row.is_disabled === 1,
  }
}
