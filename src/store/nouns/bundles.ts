import type { IncludeTerms } from '#money/grant.ts'
import type { BundleRecord, Bundles } from '#domain/store.ts'
import type { Query } from '#store/sql/database.ts'
import type { BundleIncludeRow, BundleRow } from '#store/sql/schema.ts'
import { flag, isAfter, pageOfRows, priceOf, priceText, stringsOf } from './paging.ts'

export function bundles(query: Query): Bundles {
  return {
    async put(bundle) {
      const { id, application_id, slug, created_at_ms, ...fields } = rowOf(bundle)
      await query
        .insertInto('bundles')
        .values({ id, application_id, slug, created_at_ms, ...fields })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(fields))
        .execute()
    },
    async byId(applicationId, id) {
      const row = await query
        .selectFrom('bundles')
        .selectAll()
        .where('id', '=', id)
        .where('application_id', '=', applicationId)
        .executeTakeFirst()
      return row ? bundleOf(row) : null
    },
    async bySlug(applicationId, slug) {
      const row = await query
        .selectFrom('bundles')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where('slug', '=', slug)
        .executeTakeFirst()
      return row ? bundleOf(row) : null
    },
    async list(applicationId, page) {
      const rows = await query
        .selectFrom('bundles')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where(isAfter(page, 'created_at_ms', 'id'))
        .orderBy('created_at_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute()
      return pageOfRows(rows, page, (row) => ({ at: row.created_at_ms, id: row.id }), bundleOf)
    },
    async prices(bundleId) {
      const rows = await query
        .selectFrom('bundle_prices')
        .selectAll()
        .where('bundle_id', '=', bundleId)
        .orderBy('alias')
        .execute()
      return rows.map((row) => ({
        alias: row.alias,
        price: row.price === null ? null : priceOf(row.price),
        credits: row.credits === null ? null : priceOf(row.credits),
      }))
    },
    async setPrice(bundleId, { alias, credits, price }) {
      if (price === null && credits === null) {
        await query
          .deleteFrom('bundle_prices')
          .where('bundle_id', '=', bundleId)
          .where('alias', '=', alias)
          .execute()
        return
      }
      const fields = { price: price && priceText(price), credits: credits && priceText(credits) }
      await query
        .insertInto('bundle_prices')
        .values({ bundle_id: bundleId, alias, ...fields })
        .onConflict((conflict) => conflict.columns(['bundle_id', 'alias']).doUpdateSet(fields))
        .execute()
    },
    async includes(bundleId) {
      const rows = await query
        .selectFrom('bundle_includes')
        .selectAll()
        .where('bundle_id', '=', bundleId)
        .orderBy('position')
        .execute()
      return rows.map(includeOf)
    },
    async putInclude(bundleId, include) {
      const fields = {
        display_name: include.displayName,
        unit: include.unit,
        amount: include.amount,
        price_micros: include.priceMicros,
        then_on_demand: flag(include.thenOnDemand),
        recurring: flag(include.recurring),
        spillover_to: include.spilloverTo,
        models: include.models && JSON.stringify(include.models),
      }
      const last = await query
        .selectFrom('bundle_includes')
        .select((eb) => eb.fn.max('position').as('position'))
        .where('bundle_id', '=', bundleId)
        .executeTakeFirst()
      await query
        .insertInto('bundle_includes')
        .values({ bundle_id: bundleId, slug: include.slug, position: (last?.position ?? 0) + 1, ...fields })
        .onConflict((conflict) => conflict.columns(['bundle_id', 'slug']).doUpdateSet(fields))
        .execute()
    },
  }
}

function rowOf(bundle: BundleRecord): BundleRow {
  return {
    id: bundle.id,
    application_id: bundle.applicationId,
    slug: bundle.slug,
    display_name: bundle.displayName,
    price_micros: bundle.priceMicros,
    billing_interval: bundle.interval,
    spend_limit_micros: bundle.spendLimitMicros,
    spend_limit_period: bundle.spendLimitPeriod,
    termination_policy: bundle.terminationPolicy,
    max_overdraft_micros: bundle.maxOverdraftMicros,
    debit_basis: bundle.debitBasis,
    credit_currency: bundle.creditCurrency,
    allow: JSON.stringify(bundle.allow),
    deny: JSON.stringify(bundle.deny),
    created_at_ms: bundle.createdAtMs,
  }
}

function bundleOf(row: BundleRow): BundleRecord {
  return {
    id: row.id,
    applicationId: row.application_id,
    slug: row.slug,
    displayName: row.display_name,
    priceMicros: row.price_micros,
    interval: row.billing_interval,
    spendLimitMicros: row.spend_limit_micros,
    spendLimitPeriod: row.spend_limit_period,
    terminationPolicy: row.termination_policy,
    maxOverdraftMicros: row.max_overdraft_micros,
    debitBasis: row.debit_basis,
    creditCurrency: row.credit_currency,
    allow: stringsOf(row.allow),
    deny: stringsOf(row.deny),
    createdAtMs: row.created_at_ms,
  }
}

function includeOf(row: BundleIncludeRow): IncludeTerms {
  return {
    slug: row.slug,
    displayName: row.display_name,
    unit: row.unit,
    amount: row.amount,
    priceMicros: row.price_micros,
    thenOnDemand: row.then_on_demand === 1,
    recurring: row.recurring === 1,
    spilloverTo: row.spillover_to,
    models: row.models === null ? null : stringsOf(row.models),
  }
}
