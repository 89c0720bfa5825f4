import type { Provider, Providers } from '#domain/store.ts'
import type { Query } from '#store/sql/database.ts'
import type { ProviderAccountRow } from '#store/sql/schema.ts'
import { aliasSourcesOf } from './aliases.ts'
import { isAfter, pageOfRows, priceOf, priceText } from './paging.ts'

export function providers(query: Query): Providers {
  return {
    async insert(provider) {
      await query.insertInto('provider_accounts').values(rowOf(provider)).execute()
    },
    async update(provider) {
      await query
        .updateTable('provider_accounts')
        .set({
          kind: provider.kind,
          base_url: provider.baseUrl,
          sealed_credential: provider.sealedCredential,
          last_four: provider.lastFour,
        })
        .where('id', '=', provider.id)
        .execute()
    },
    async byId(organizationId, id) {
      const row = await query
        .selectFrom('provider_accounts')
        .selectAll()
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst()
      return row ? providerOf(row) : null
    },
    async byLabel(organizationId, label) {
      const row = await query
        .selectFrom('provider_accounts')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('label', '=', label)
        .executeTakeFirst()
      return row ? providerOf(row) : null
    },
    async list(organizationId, page) {
      const rows = await query
        .selectFrom('provider_accounts')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where(isAfter(page, 'created_at_ms', 'id'))
        .orderBy('created_at_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute()
      return pageOfRows(rows, page, (row) => ({ at: row.created_at_ms, id: row.id }), providerOf)
    },
    async sealedCredentials() {
      const rows = await query
        .selectFrom('provider_accounts')
        .select('sealed_credential')
        .where('sealed_credential', 'is not', null)
        .execute()
      return rows.map(({ sealed_credential: sealed }) => sealed ?? '')
    },
    async all(organizationId) {
      const rows = await query
        .selectFrom('provider_accounts')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .execute()
      return rows.map(providerOf)
    },
    async remove(id) {
      await query.deleteFrom('provider_accounts').where('id', '=', id).execute()
    },
    async prices(accountId) {
      const rows = await query
        .selectFrom('account_prices')
        .select(['model', 'price'])
        .where('account_id', '=', accountId)
        .orderBy('model')
        .execute()
      return rows.map((row) => ({ model: row.model, price: priceOf(row.price) }))
    },
    async setPrice(accountId, model, price, nowMs) {
      await query
        .insertInto('account_prices')
        .values({ account_id: accountId, model, price: priceText(price), created_at_ms: nowMs })
        .onConflict((conflict) =>
          conflict
            .columns(['account_id', 'model'])
            .doUpdateSet({ price: priceText(price), created_at_ms: nowMs }),
        )
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
      const rows = await query
        .selectFrom('aliases')
        .innerJoin('applications', 'applications.id', 'aliases.application_id')
        .select(['applications.slug', 'aliases.name', 'aliases.sources'])
        .where('applications.organization_id', '=', organizationId)
        .orderBy('applications.slug')
        .orderBy('aliases.name')
        .execute()
      return rows
        .filter((row) => aliasSourcesOf(row.sources).some((source) => source.accountId === accountId))
        .map((row) => `${row.slug}/${row.name}`)
    },
  }
}

function rowOf(provider: Provider): ProviderAccountRow {
  return {
    id: provider.id,
    organization_id: provider.organizationId,
    label: provider.label,
    kind: provider.kind,
    base_url: provider.baseUrl,
    sealed_credential: provider.sealedCredential,
    last_four: provider.lastFour,
    created_at_ms: provider.createdAtMs,
  }
}

function providerOf(row: ProviderAccountRow): Provider {
  return {
    id: row.id,
    organizationId: row.organization_id,
    label: row.label,
    kind: row.kind,
    baseUrl: row.base_url,
    sealedCredential: row.sealed_credential,
    lastFour: row.last_four,
    createdAtMs: row.created_at_ms,
  }
}
