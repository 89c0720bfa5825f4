import assert from 'node:assert/strict'
import type { AliasCeilings } from '#domain/application-config.ts'
import type { AliasRecord, AliasRecordSource, Aliases } from '#domain/store.ts'
import type { Query } from '#store/sql/database.ts'
import type { AliasRow } from '#store/sql/schema.ts'
import { flag, isAfter, pageOfRows } from './paging.ts'

export function aliases(query: Query): Aliases {
  return {
    async byName(applicationId, name) {
      const row = await query
        .selectFrom('aliases')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where('name', '=', name)
        .executeTakeFirst()
      return row ? aliasOf(row) : null
    },
    async names(applicationId) {
      const rows = await query
        .selectFrom('aliases')
        .select('name')
        .where('application_id', '=', applicationId)
        .orderBy('name')
        .execute()
      return rows.map((row) => row.name)
    },
    async list(applicationId, page) {
      const rows = await query
        .selectFrom('aliases')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where(isAfter(page, 'created_at_ms', 'name'))
        .orderBy('created_at_ms', 'desc')
        .orderBy('name', 'desc')
        .limit(page.limit + 1)
        .execute()
      return pageOfRows(rows, page, (row) => ({ at: row.created_at_ms, id: row.name }), aliasOf)
    },
    async put(alias) {
      const sources = JSON.stringify(
        alias.sources.map(({ accountId, model }) => ({ account: accountId, model })),
      )
      const ceilings = JSON.stringify(alias.ceilings)
      await query
        .insertInto('aliases')
        .values({
          application_id: alias.applicationId,
          name: alias.name,
          sources,
          ceilings,
          is_disabled: flag(alias.isDisabled),
          created_at_ms: alias.createdAtMs,
        })
        .onConflict((conflict) =>
          conflict.columns(['application_id', 'name']).doUpdateSet({ sources, ceilings }),
        )
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
      await query
        .deleteFrom('bundle_prices')
        .where('alias', '=', name)
        .where('bundle_id', 'in', (eb) =>
          eb.selectFrom('bundles').select('id').where('application_id', '=', applicationId),
        )
        .execute()
      await query
        .deleteFrom('aliases')
        .where('application_id', '=', applicationId)
        .where('name', '=', name)
        .execute()
    },
    async pricedIn(applicationId, name) {
      const rows = await query
        .selectFrom('bundle_prices')
        .innerJoin('bundles', 'bundles.id', 'bundle_prices.bundle_id')
        .select('bundles.slug')
        .where('bundles.application_id', '=', applicationId)
        .where('bundle_prices.alias', '=', name)
        .where('bundle_prices.price', 'is not', null)
        .orderBy('bundles.slug')
        .execute()
      return rows.map((row) => row.slug)
    },
  }
}

function aliasOf(row: AliasRow): AliasRecord {
  return {
    applicationId: row.application_id,
    name: row.name,
    sources: aliasSourcesOf(row.sources),
    ceilings: ceilingsOf(row.ceilings),
    isDisabled: row.is_disabled === 1,
    createdAtMs: row.created_at_ms,
  }
}

/** The `sources` column: `[{"account", "model"}]`. */
export function aliasSourcesOf(text: string): AliasRecordSource[] {
  const parsed: unknown = JSON.parse(text)
  assert(Array.isArray(parsed), 'sources is an array')
  return parsed.map((source: unknown) => {
    assert(typeof source === 'object' && source !== null && 'account' in source && 'model' in source)
    return { accountId: String(source.account), model: String(source.model) }
  })
}

function ceilingsOf(text: string): AliasCeilings {
  const parsed: unknown = JSON.parse(text)
  assert(typeof parsed === 'object' && parsed !== null, 'ceilings is an object')
  const outputTokens: unknown = 'outputTokens' in parsed ? parsed.outputTokens : undefined
  return typeof outputTokens === 'number' ? { outputTokens } : {}
}
