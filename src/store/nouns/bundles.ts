import { sql } from 'kysely'
import type { BundlePrice, BundleRecord } from '#domain/billing/bundle-record.ts'
import type { Bundles, ModeTimes } from '#domain/store-interface.ts'
import type { IncludeTerms } from '#money/plan-pools.ts'
import { columnsOfTerms, includeTermsOf, termsSpanOf } from '#store/rows/bundle-include-columns.ts'
import {
  priceFromText,
  priceToText,
  rateRulesFromText,
  rateRulesToText,
  stringsFromText,
  toolRulesFromText,
} from '#store/rows/json-columns.ts'
import { columnsOf, fieldsOf, flag } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { grouped, lookUps } from '#store/sql/look-up-many-ids-at-once.ts'
import type { BundleIncludeRow, BundlePriceRow, BundleRow } from '#store/sql/schema.ts'
import { every, first, newestFirst } from './read-rows-and-pages.ts'
import { sortedPage } from './sorted-page.ts'

export function bundles(query: Query): Bundles {
  const all = query.selectFrom('bundles').selectAll()
  const of = (applicationId: string) =>
    all.where('application_id', '=', applicationId).where('removed_at_ms', 'is', null)
  const oneOf = lookUps(async (applicationId, ids) => {
    const found = await every(of(applicationId).where('id', 'in', ids), bundleOf)
    return new Map(found.map((bundle) => [bundle.id, bundle]))
  })
  const pricesByBundle = lookUps(async (_, ids) => {
    const rows = query.selectFrom('bundle_prices').selectAll().where('bundle_id', 'in', ids)
    return grouped(await rows.orderBy('alias').execute(), (row) => row.bundle_id, priceOf)
  })
  const includesByBundle = lookUps(async (_, ids) => {
    const rows = query.selectFrom('bundle_includes').selectAll().where('bundle_id', 'in', ids)
    return Map.groupBy(await rows.orderBy('position').execute(), (row) => row.bundle_id)
  })
  const pastIncludesByBundle = lookUps(async (_, ids) => {
    const rows = query.selectFrom('past_includes').selectAll().where('bundle_id', 'in', ids)
    return Map.groupBy(await rows.orderBy('version').execute(), (row) => row.bundle_id)
  })
  return {
    async put({ id, applicationId, slug, interval, limits, providerTools, ...rest }) {
      const fields = {
        ...columnsOf(rest),
        billing_interval: interval,
        rate_limits: rateRulesToText(limits),
        provider_tools: providerTools && JSON.stringify(providerTools),
        removed_at_ms: null,
      }
      await query
        .insertInto('bundles')
        .values({ ...columnsOf({ id, applicationId, slug }), ...fields })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(fields))
        .execute()
    },
    byId: async (applicationId, id) => (await oneOf(applicationId, id)) ?? null,
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
    async remove(id, at) {
      await query.updateTable('bundles').set({ removed_at_ms: at.live }).where('id', '=', id).execute()
      await query.deleteFrom('bundle_prices').where('bundle_id', '=', id).execute()
      await setIncludes(query, id, [], at)
    },
    list(applicationId, { sorting, ...page }) {
      if (sorting === undefined) return newestFirst(of(applicationId), page, 'id', bundleOf)
      const value = sorting.by === 'name' ? sql.ref('display_name') : sql.ref('created_at_ms')
      return sortedPage(query, of(applicationId), { value, id: 'id' }, { ...page, sorting }, bundleOf)
    },
    prices: async (bundleId) => (await pricesByBundle('', bundleId)) ?? [],
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
    includes: async (bundleId) => ((await includesByBundle('', bundleId)) ?? []).map(includeTermsOf),
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
    async datedIncludes(bundleId, mode) {
      const present = (await includesByBundle('', bundleId)) ?? []
      const past = (await pastIncludesByBundle('', bundleId)) ?? []
      const now = { until_ms: null, until_test_ms: null }
      return [...present.map((row) => ({ ...row, ...now })), ...past].map((row) => ({
        ...includeTermsOf(row),
        ...termsSpanOf(row, mode),
      }))
    },
    setIncludes: (bundleId, includes, at) => setIncludes(query, bundleId, includes, at),
    async putInclude(bundleId, include, at) {
      const terms = await every(
        query.selectFrom('bundle_includes').selectAll().where('bundle_id', '=', bundleId).orderBy('position'),
        includeTermsOf,
      )
      const place = terms.findIndex(({ slug }) => slug === include.slug)
      await setIncludes(query, bundleId, place === -1 ? [...terms, include] : terms.with(place, include), at)
    },
  }
}

/** Changed or removed terms remain stored as former terms. */
async function setIncludes(
  query: Query,
  bundleId: string,
  includes: readonly IncludeTerms[],
  at: ModeTimes,
): Promise<void> {
  const before = await query
    .selectFrom('bundle_includes')
    .selectAll()
    .where('bundle_id', '=', bundleId)
    .execute()
  const rows = includes.map((include, index) => {
    const terms = columnsOfTerms(include)
    const same = before.find((row) => hasTerms(row, terms))
    return {
      bundle_id: bundleId,
      position: index + 1,
      ...terms,
      since_ms: same?.since_ms ?? at.live,
      since_test_ms: same?.since_test_ms ?? at.test,
      is_undated: same?.is_undated ?? flag(false),
    }
  })
  const ended = before.filter((row) => !includes.some((include) => hasTerms(row, columnsOfTerms(include))))
  if (ended.length > 0) {
    const last = await query
      .selectFrom('past_includes')
      .select((eb) => eb.fn.max('version').as('version'))
      .where('bundle_id', '=', bundleId)
      .executeTakeFirst()
    const until = { until_ms: at.live, until_test_ms: at.test }
    const past = ended.map((row, index) => ({ ...row, ...until, version: (last?.version ?? 0) + index + 1 }))
    await query.insertInto('past_includes').values(past).execute()
  }
  await query.deleteFrom('bundle_includes').where('bundle_id', '=', bundleId).execute()
  if (rows.length > 0) await query.insertInto('bundle_includes').values(rows).execute()
}

function hasTerms(row: BundleIncludeRow, terms: ReturnType<typeof columnsOfTerms>): boolean {
  return Object.entries(terms).every(([column, value]) => Reflect.get(row, column) === value)
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
  provider_tools: providerTools,
  rate_limits: limits,
  removed_at_ms: _removedAtMs,
  ...row
}: BundleRow): BundleRecord {
  return {
    ...fieldsOf(row),
    interval,
    // Null if the row was written before this column existed. At that time, the sell price was never the default, so a
    // row with the sell price was chosen.
    isDebitBasisChosen: isChosen === null ? row.debit_basis === 'sell_price' : isChosen === 1,
    limits: rateRulesFromText(limits),
    providerTools: providerTools === null ? null : toolRulesFromText(providerTools),
    allow: stringsFromText(row.allow),
    deny: stringsFromText(row.deny),
  }
}
