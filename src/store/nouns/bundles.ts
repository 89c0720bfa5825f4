import { sql } from 'kysely'
import type { BundlePrice, BundleRecord } from '#domain/records.ts'
import type { Bundles } from '#domain/store.ts'
import { includeTermsOf } from '#store/rows/bundle-includes.ts'
import { priceFromText, priceToText, stringsFromText } from '#store/rows/json-columns.ts'
import { columnsOf, fieldsOf } from '#store/sql/columns.ts'
import type { Query } from '#store/sql/database.ts'
import type { BundlePriceRow, BundleRow } from '#store/sql/schema.ts'
import { every, first, newestFirst } from './paging.ts'

export function bundles(query: Query): Bundles {
  const all = query.selectFrom('bundles').selectAll()
  const of = (applicationId: string) =>
    all.where('application_id', '=', applicationId).where('removed_at_ms', 'is', null)
  return {
    async put({ id, applicationId, slug, interval, ...rest }) {
      const fields = { ...columnsOf(rest), billing_interval: interval, removed_at_ms: null }
      await query
        .insertInto('bundles')
        .values({ ...columnsOf({ id, applicationId, slug }), ...fields })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(fields))
        .execute()
    },
    byId: (applicationId, id) => first(of(applicationId).where('id', '=', id), bundleOf),
    bySlug: (applicationId, slug) => first(of(applicationId).where('slug', '=', slug), bundleOf),
    async whole(applicationId) {
      const found = await every(of(applicationId).orderBy('slug'), bundleOf)
      const ids = query.selectFrom('bundles').select('id').where('application_id', '=', applicationId)
      const prices = await query
        .selectFrom('bundle_prices')
        .selectAll()
        .where('bundle_id', 'in', ids)
        .orderBy('alias')
        .execute()
      const includes = await query
        .selectFrom('bundle_includes')
        .selectAll()
        .where('bundle_id', 'in', ids)
        .orderBy('position')
        .execute()
      const [pricesOf, includesOf] = [
        Map.groupBy(prices, (row) => row.bundle_id),
        Map.groupBy(includes, (row) => row.bundle_id),
      ]
      return found.map((bundle) => ({
        bundle,
        prices: (pricesOf.get(bundle.id) ?? []).map(priceOf),
        includes: (includesOf.get(bundle.id) ?? []).map(includeTermsOf),
      }))
    },
    async holdersOfOtherCredits(bundleId, currency, nowMs) {
      const { rows } = await sql<{ holders: number }>`
        SELECT count(DISTINCT s.end_user_id) AS holders
        FROM sources s JOIN end_users u ON u.id = s.end_user_id
        WHERE s.bundle_id = ${bundleId} AND s.unit = 'credits' AND u.removed_at_ms IS NULL
          AND s.currency <> ${currency ?? ''}
          AND (s.held > 0 OR ((s.posted > 0 OR s.withheld > 0) AND (s.ends_at_ms IS NULL
            OR (s.mode = 'live' AND s.ends_at_ms > ${nowMs.live})
            OR (s.mode = 'test' AND s.ends_at_ms > ${nowMs.test}))))`.execute(query)
      return rows[0]?.holders ?? 0
    },
    async removedId(applicationId, slug) {
      const row = await all
        .where('application_id', '=', applicationId)
        .where('slug', '=', slug)
        .where('removed_at_ms', 'is not', null)
        .executeTakeFirst()
      return row?.id ?? null
    },
    async remove(id, atMs) {
      await query.updateTable('bundles').set({ removed_at_ms: atMs }).where('id', '=', id).execute()
      await query.deleteFrom('bundle_prices').where('bundle_id', '=', id).execute()
      await query.deleteFrom('bundle_includes').where('bundle_id', '=', id).execute()
    },
    list: (applicationId, page) => newestFirst(of(applicationId), page, 'id', bundleOf),
    prices: (bundleId) =>
      every(
        query.selectFrom('bundle_prices').selectAll().where('bundle_id', '=', bundleId).orderBy('alias'),
        priceOf,
      ),
    async setPrice(bundleId, { alias, credits, price }) {
      if (price === null && credits === null) {
        await query
          .deleteFrom('bundle_prices')
          .where('bundle_id', '=', bundleId)
          .where('alias', '=', alias)
          .execute()
        return
      }
      const fields = { price: price && priceToText(price), credits: credits && priceToText(credits) }
      await query
        .insertInto('bundle_prices')
        .values({ bundle_id: bundleId, alias, ...fields })
        .onConflict((conflict) => conflict.columns(['bundle_id', 'alias']).doUpdateSet(fields))
        .execute()
    },
    includes: (bundleId) =>
      every(
        query.selectFrom('bundle_includes').selectAll().where('bundle_id', '=', bundleId).orderBy('position'),
        includeTermsOf,
      ),
    async setPrices(bundleId, prices) {
      await query.deleteFrom('bundle_prices').where('bundle_id', '=', bundleId).execute()
      const rows = prices.map(({ alias, credits, price }) => ({
        bundle_id: bundleId,
        alias,
        price: price && priceToText(price),
        credits: credits && priceToText(credits),
      }))
      if (rows.length > 0) await query.insertInto('bundle_prices').values(rows).execute()
    },
    async setIncludes(bundleId, includes) {
      await query.deleteFrom('bundle_includes').where('bundle_id', '=', bundleId).execute()
      const rows = includes.map((include, at) => ({
        bundle_id: bundleId,
        position: at + 1,
        ...columnsOf(include),
      }))
      if (rows.length > 0) await query.insertInto('bundle_includes').values(rows).execute()
    },
    async putInclude(bundleId, { slug, ...include }) {
      const fields = columnsOf(include)
      const last = await query
        .selectFrom('bundle_includes')
        .select((eb) => eb.fn.max('position').as('position'))
        .where('bundle_id', '=', bundleId)
        .executeTakeFirst()
      await query
        .insertInto('bundle_includes')
        .values({ bundle_id: bundleId, slug, position: (last?.position ?? 0) + 1, ...fields })
        .onConflict((conflict) => conflict.columns(['bundle_id', 'slug']).doUpdateSet(fields))
        .execute()
    },
  }
}

function priceOf({ alias, credits, price }: BundlePriceRow): BundlePrice {
  return {
    alias,
    price: price === null ? null : priceFromText(price),
    credits: credits === null ? null : priceFromText(credits),
  }
}

function bundleOf({
  billing_interval: interval,
  is_debit_basis_chosen: isChosen,
  removed_at_ms: _removedAtMs,
  ...row
}: BundleRow): BundleRecord {
  return {
    ...fieldsOf(row),
    interval,
    // A row that is older than the column: the sell price was never the default.
    isDebitBasisChosen: isChosen === null ? row.debit_basis === 'sell_price' : isChosen === 1,
    allow: stringsFromText(row.allow),
    deny: stringsFromText(row.deny),
  }
}
