import type { Provider } from '#domain/accounts/provider-account-record.ts'
import type { Providers } from '#domain/store-interface.ts'
import { aliasSourcesFromText, priceFromText, priceToText } from '#store/rows/json-columns.ts'
import { routerDefinitionFromText } from '#store/rows/router-definition-column.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { grouped, lookUps } from '#store/sql/look-up-many-ids-at-once.ts'
import type { ProviderAccountRow } from '#store/sql/schema.ts'
import { every, first, newestFirst } from './read-rows-and-pages.ts'

export function providers(query: Query): Providers {
  const pricesOf = lookUps(async (_, accountIds) => {
    const rows = await query
      .selectFrom('account_prices')
      .select(['account_id', 'model', 'price'])
      .where('account_id', 'in', accountIds)
      .orderBy('model')
      .execute()
    return grouped(
      rows,
      (row) => row.account_id,
      ({ model, price }) => ({ model, price: priceFromText(price) }),
    )
  })
  const of = (organizationId: string) =>
    query.selectFrom('provider_accounts').selectAll().where('organization_id', '=', organizationId)
  return {
    async insert(provider) {
      await query.insertInto('provider_accounts').values(columnsOf(provider)).execute()
    },
    async update({ id, kind, baseUrl, sealedCredential, lastFour, credentialSetAtMs, onClientLeft }) {
      await query
        .updateTable('provider_accounts')
        .set(columnsOf({ kind, baseUrl, sealedCredential, lastFour, credentialSetAtMs, onClientLeft }))
        .where('id', '=', id)
        .execute()
    },
    byId: (organizationId, id) => first(of(organizationId).where('id', '=', id), providerOf),
    byLabel: (organizationId, label) => first(of(organizationId).where('label', '=', label), providerOf),
    list: (organizationId, page) => newestFirst(of(organizationId), page, 'id', providerOf),
    all: (organizationId) => every(of(organizationId), providerOf),
    async sealedCredentials() {
      const rows = await query
        .selectFrom('provider_accounts')
        .select('sealed_credential')
        .where('sealed_credential', 'is not', null)
        .execute()
      return rows.map(({ sealed_credential: sealed }) => sealed ?? '')
    },
    async remove(id) {
      await query.deleteFrom('provider_accounts').where('id', '=', id).execute()
    },
    prices: async (accountId) => (await pricesOf('', accountId)) ?? [],
    async setPrice(accountId, model, price, nowMs) {
      const fields = { price: priceToText(price), created_at_ms: nowMs }
      await query
        .insertInto('account_prices')
        .values({ account_id: accountId, model, ...fields })
        .onConflict((conflict) => conflict.columns(['account_id', 'model']).doUpdateSet(fields))
        .execute()
    },
    async removePrice(accountId, model) {
      await query
        .deleteFrom('account_prices')
        .where('account_id', '=', accountId)
        .where('model', '=', model)
        .execute()
    },
    async dependents(organizationId, accountId) {
      const isOf = (source: { readonly accountId: string }): boolean => source.accountId === accountId
      const serving = query
        .selectFrom('applications')
        .where('organization_id', '=', organizationId)
        .where('archived_at_ms', 'is', null)
      const aliases = await serving
        .innerJoin('aliases', 'aliases.application_id', 'applications.id')
        .select(['applications.slug', 'aliases.name', 'aliases.sources'])
        .execute()
      const routers = await serving
        .innerJoin('routers', 'routers.application_id', 'applications.id')
        .select(['applications.slug', 'routers.name', 'routers.definition'])
        .execute()
      const names = [
        ...aliases.filter(({ sources }) => aliasSourcesFromText(sources).some(isOf)),
        ...routers.filter(({ definition }) =>
          routerDefinitionFromText(definition).targets.some(({ to }) => to.kind === 'source' && isOf(to)),
        ),
      ]
      return names.map(({ name, slug }) => `${slug}/${name}`).toSorted()
    },
  }
}

function providerOf(row: ProviderAccountRow): Provider {
  return fieldsOf(row)
}
