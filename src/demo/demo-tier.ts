import { DemoTenant, type DemoPorts } from './demo-tenant.ts'
import { fixtures } from './fixtures.ts'

/** What `x-demo-tenant` may be. */
export const demoTenantSlugs: readonly string[] = fixtures.map(({ slug }) => slug)

/**
 * The demo tier: what a newcomer can read and try without a credential. Two tenants of fixtures, in memory,
 * which share nothing with each other, with applications or with other processes.
 */
export interface DemoTier {
  /** Null: there is no such tenant. */
  tenant(slug: string): DemoTenant | null
}

export function demoTier(ports: DemoPorts): DemoTier {
  const tenants = new Map(fixtures.map((fixture) => [fixture.slug, new DemoTenant(fixture, ports)]))
  return { tenant: (slug) => tenants.get(slug) ?? null }
}
