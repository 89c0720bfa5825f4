import type { Application } from '#domain/application-record.ts'
import type { Mode } from '#domain/application-config.ts'
import type { Applications } from '#domain/store-interface.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { lookUps } from '#store/sql/look-up-many-ids-at-once.ts'
import type { ApplicationRow } from '#store/sql/schema.ts'
import { applicationCosts } from '#store/nouns/reports/usage-and-costs-of-application.ts'
import { every, first, newestFirst } from './read-rows-and-pages.ts'

export function applications(query: Query): Applications {
  const all = query.selectFrom('applications').selectAll()
  const of = (organizationId: string) => all.where('organization_id', '=', organizationId)
  const contentsOf = lookUps((mode: Mode, ids) => contents(query, ids, mode))
  return {
    async insert(application) {
      await query.insertInto('applications').values(columnsOf(application)).execute()
    },
    bySlug: (slug) => first(all.where('slug', '=', slug), applicationOf),
    byId: (organizationId, id) => first(of(organizationId).where('id', '=', id), applicationOf),
    byCode: (code) => first(all.where('code', '=', code), applicationOf),
    ofHost: (id) => first(all.where('id', '=', id), applicationOf),
    isCodeTaken: async (code) => (await all.where('code', '=', code).executeTakeFirst()) !== undefined,
    list(organizationId, onlyId, page) {
      const own = of(organizationId)
      return newestFirst(onlyId === null ? own : own.where('id', '=', onlyId), page, 'id', applicationOf)
    },
    serving: (organizationId, limit) =>
      every(of(organizationId).where('archived_at_ms', 'is', null).limit(limit), applicationOf),
    async countServing(organizationId) {
      const row = await query
        .selectFrom('applications')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('organization_id', '=', organizationId)
        .where('archived_at_ms', 'is', null)
        .executeTakeFirstOrThrow()
      return row.count
    },
    contents: async (applicationId, mode) => (await contentsOf(mode, applicationId)) ?? noContents,
    async rename(id, name) {
      await query.updateTable('applications').set({ name }).where('id', '=', id).execute()
    },
    async archive(id, atMs) {
      await query
        .updateTable('applications')
        .set((eb) => ({ archived_at_ms: atMs, config_version: eb('config_version', '+', 1) }))
        .where('id', '=', id)
        .execute()
    },
    async setPorts(id, { gatewayPort, portalPort }) {
      const ports = columnsOf({ gatewayPort, portalPort })
      await query.updateTable('applications').set(ports).where('id', '=', id).execute()
    },
    async setDefaultBundle(id, bundleId) {
      await query
        .updateTable('applications')
        .set({ default_bundle_id: bundleId })
        .where('id', '=', id)
        .execute()
    },
    async setTestClock(id, testClockOffsetMs) {
      await query
        .updateTable('applications')
        .set({ test_clock_offset_ms: testClockOffsetMs })
        .where('id', '=', id)
        .execute()
    },
    withTestClock: () => every(all.where('test_clock_offset_ms', '>', 0), applicationOf),
    async raiseVersion(id) {
      await query
        .updateTable('applications')
        .set((eb) => ({ config_version: eb('config_version', '+', 1) }))
        .where('id', '=', id)
        .execute()
    },
    async raiseVersions(organizationId) {
      await query
        .updateTable('applications')
        .set((eb) => ({ config_version: eb('config_version', '+', 1) }))
        .where('organization_id', '=', organizationId)
        .execute()
    },
  }
}

function applicationOf(row: ApplicationRow): Application {
  return { ...fieldsOf(row), testClockOffsetMs: row.test_clock_offset_ms ?? 0 }
}

type Contents = Awaited<ReturnType<Applications['contents']>>

const noContents: Contents = { endUsers: 0, keys: 0, bundles: [], models: [], costMicros: 0n }

async function contents(
  query: Query,
  ids: readonly string[],
  mode: Mode,
): Promise<ReadonlyMap<string, Contents>> {
  const people = await query
    .selectFrom('end_users')
    .select(['application_id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('application_id', 'in', ids)
    .where('removed_at_ms', 'is', null)
    .groupBy('application_id')
    .execute()
  const keys = await query
    .selectFrom('keys')
    .select(['application_id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('application_id', 'in', ids)
    .where('revoked_at_ms', 'is', null)
    .groupBy('application_id')
    .execute()
  const bundles = await query
    .selectFrom('bundles')
    .select(['application_id', 'slug'])
    .where('application_id', 'in', ids)
    .where('removed_at_ms', 'is', null)
    .orderBy('slug')
    .execute()
  const models = await query
    .selectFrom('aliases')
    .select(['application_id', 'name'])
    .where('application_id', 'in', ids)
    .orderBy('name')
    .execute()
  const costs = await applicationCosts(query, ids, mode)
  const countIn = (rows: readonly { application_id: string; count: number }[], id: string): number =>
    rows.find((row) => row.application_id === id)?.count ?? 0
  const textsIn = <Row extends { application_id: string }>(
    rows: readonly Row[],
    id: string,
    textOf: (row: Row) => string,
  ): string[] => rows.filter((row) => row.application_id === id).map(textOf)
  return new Map(
    ids.map((id) => [
      id,
      {
        endUsers: countIn(people, id),
        keys: countIn(keys, id),
        bundles: textsIn(bundles, id, ({ slug }) => slug),
        models: textsIn(models, id, ({ name }) => name),
        costMicros: costs.get(id) ?? 0n,
      },
    ]),
  )
}
