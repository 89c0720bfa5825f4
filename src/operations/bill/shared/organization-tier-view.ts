import * as z from 'zod'
import { tierNames, tierTableIn } from '#domain/fees-of-organization-tiers.ts'
import type { TierTable } from '#money/organization-tier-by-day.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import { monthOfDay, tierOn } from '#money/organization-tier-by-day.ts'
import type { Context } from '#operations/kernel/operation-context.ts'
import { Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

export const TierName = z.enum(tierNames).meta({ description: 'Name of a tier.', examples: ['team'] })

export const TierStateView = z
  .object({
    tier: z.string().meta({ description: 'Current tier of the organization.', examples: ['team'] }),
    since: Timestamp.meta({ description: 'First day (UTC) on the tier.' }),
    next: z
      .object({
        tier: z.string().meta({ description: 'Tier that the organization moves to.' }),
        from: Timestamp.meta({
          description: 'First day (UTC) on the next tier, which is the first day of a month.',
        }),
      })
      .nullable()
      .meta({ description: 'Pending move to another tier. Null if no move is pending.' }),
  })
  .meta({ id: 'TierState', description: 'The tier of an organization.' })

/** In days since January 1, 1970 (UTC), because tiers start and end on whole days. */
export function today(nowMs: number): number {
  return Math.floor(nowMs / dayMs)
}

export function tableToday(nowMs: number): TierTable {
  return tierTableIn(monthOfDay(today(nowMs)).name)
}

export async function tierState({
  nowMs,
  organization,
  store,
}: Pick<Context, 'nowMs' | 'organization' | 'store'>): Promise<z.output<typeof TierStateView>> {
  const changes = await store.bills.tierChanges(organization.id)
  const day = today(nowMs)
  const present = changes.findLast(({ fromDay }) => fromDay <= day)
  const ahead = changes.find(({ fromDay }) => fromDay > day)
  return {
    tier: tierOn(changes, day, tableToday(nowMs)),
    since: (present?.fromDay ?? today(organization.createdAtMs)) * dayMs,
    next: ahead === undefined ? null : { tier: ahead.tier, from: ahead.fromDay * dayMs },
  }
}
