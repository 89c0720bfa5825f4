import type { Application, Applications } from '#domain/store.ts'
import type { Query } from '#store/sql/database.ts'
import type { ApplicationRow } from '#store/sql/schema.ts'
import { applicationUsage } from './application-usage.ts'
import { isAfter, pageOfRows } from './paging.ts'

export function applications(query: Query): Applications {
  return {
    async insert(application) {
      await query
        .insertInto('applications')
        .values({
          id: application.id,
          organization_id: application.organizationId,
          slug: application.slug,
          code: application.code,
          name: application.name,
          config_version: application.configVersion,
          default_bundle_id: application.defaultBundleId,
          gateway_port: application.gatewayPort,
          portal_port: application.portalPort,
          created_at_ms: application.createdAtMs,
          archived_at_ms: application.archivedAtMs,
        })
        .execute()
    },
    async bySlug(slug) {
      const row = await query
        .selectFrom('applications')
        .selectAll()
        .where('slug', '=', slug)
        .executeTakeFirst()
      return row ? applicationOf(row) : null
    },
    async byId(organizationId, id) {
      const row = await query
        .selectFrom('applications')
        .selectAll()
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst()
      return row ? applicationOf(row) : null
    },
    async isCodeTaken(code) {
      const row = await query
        .selectFrom('applications')
        .select('id')
        .where('code', '=', code)
        .executeTakeFirst()
      return row !== undefined
    },
    async list(organizationId, page) {
      const rows = await query
        .selectFrom('applications')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where(isAfter(page, 'created_at_ms', 'id'))
        .orderBy('created_at_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute()
      return pageOfRows(rows, page, (row) => ({ at: row.created_at_ms, id: row.id }), applicationOf)
    },
    async serving(organizationId, limit) {
      const rows = await query
        .selectFrom('applications')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('archived_at_ms', 'is', null)
        .limit(limit)
        .execute()
      return rows.map(applicationOf)
    },
    async contents(applicationId, mode) {
      const people = await query
        .selectFrom('end_users')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('application_id', '=', applicationId)
        .where('removed_at_ms', 'is', null)
        .executeTakeFirstOrThrow()
      const keys = await query
        .selectFrom('keys')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('application_id', '=', applicationId)
        .where('revoked_at_ms', 'is', null)
        .executeTakeFirstOrThrow()
      const bundles = await query
        .selectFrom('bundles')
        .select('slug')
        .where('application_id', '=', applicationId)
        .orderBy('slug')
        .execute()
      const models = await query
        .selectFrom('aliases')
        .select('name')
        .where('application_id', '=', applicationId)
        .orderBy('name')
        .execute()
      const cost = await applicationUsage(query, { applicationId, mode, fromDay: null, toDay: null })
      return {
        endUsers: people.count,
        keys: keys.count,
        bundles: bundles.map((row) => row.slug),
        models: models.map((row) => row.name),
        costMicros: cost.reduce((sum, { costMicros }) => sum + costMicros, 0n),
      }
    },
    async rename(id, name) {
      await query.updateTable('applications').set({ name }).where('id', '=', id).execute()
    },
    async setPorts(id, { gatewayPort, portalPort }) {
      await query
        .updateTable('applications')
        .set({ gateway_port: gatewayPort, portal_port: portalPort })
        .where('id', '=', id)
        .execute()
    },
    async setDefaultBundle(id, bundleId) {
      await query
        .updateTable('applications')
        .set({ default_bundle_id: bundleId })
        .where('id', '=', id)
        .execute()
    },
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
  return {
    id: row.id,
    organizationId: row.organization_id,
    slug: row.slug,
    code: row.code,
    name: row.name,
    configVersion: row.config_version,
    defaultBundleId: row.default_bundle_id,
    gatewayPort: row.gateway_port,
    portalPort: row.portal_port,
    createdAtMs: row.created_at_ms,
    archivedAtMs: row.archived_at_ms,
  }
}
