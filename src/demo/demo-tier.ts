import { DemoTenant, type DemoPorts } from './demo-tenant.ts'
import { fixtures } from './tenant-fixtures.ts'

/** Allowed values of `x-demo-tenant`. */
export const demoTenantSlugs: readonly string[] = fixtures.map(({ slug }) => slug)

/**
 * The demo tier, which newcomers can read and try without a credential. It consists of two fixture tenants in memory.
 * They share nothing with each other, with applications or with other processes.
 */
export interface DemoTier {
  /** Null if no such tenant exists. */
  tenant(slug: string): DemoTenant | null
}

export function demoTier(ports: DemoPorts): DemoTier {
  const tenants = new Map(fixtures.map((fixture) => [fixture.slug, new DemoTenant(fixture, ports)]))
  return { tenant: (slug) => tenants.get(slug) ?? null }
}
