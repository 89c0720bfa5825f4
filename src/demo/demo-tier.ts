import { DemoTenant, type DemoPorts } from './demo-tenant.ts'
import { fixtures } from './tenant-fixtures.ts'

/** The values that `x-demo-tenant` may have. */
export const demoTenantSlugs: readonly string[] = fixtures.map(({ slug }) => slug)

/**
 * Without a credential, newcomers can read the data of the demo tier and try requests. The demo tier consists of two
 * fixture tenants in memory. The tenants share no data with each other, with applications or with other processes.
 */
export interface DemoTier {
  /** Returns null if there is no such tenant. */
  tenant(slug: string): DemoTenant | null
}

export function demoTier(ports: DemoPorts): DemoTier {
  const tenants = new Map(fixtures.map((fixture) => [fixture.slug, new DemoTenant(fixture, ports)]))
  return { tenant: (slug) => tenants.get(slug) ?? null }
}
