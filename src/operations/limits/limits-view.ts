import * as z from 'zod'
import { calendarWindow, dayMs } from '#money/period.ts'
import type { DailyLimit } from '#domain/daily-limits.ts'
import type { Context } from '#operations/context.ts'
import { ApplicationSlug, Count, isoOf, Micros, MicrosSum, Timestamp } from '#operations/schemas.ts'

export const ceilings = {
  callsPerDay: z.int().min(0).max(1_000_000_000).nullable().meta({
    description: 'Most calls of a day, those in flight included; 0: none at all; null: no limit.',
  }),
  spendPerDayMicros: Micros.nullable().meta({
    description:
      'Most provider cost of a day, in micros. Calls in flight count with what they hold, and a call whose hold would go beyond it is refused. Null: no limit.',
  }),
}

const Today = z
  .object({
    calls: Count.meta({ description: 'Calls charged today, and calls in flight.' }),
    spentMicros: MicrosSum.meta({ description: 'Provider cost of the calls charged today, in micros.' }),
    heldMicros: MicrosSum.meta({ description: 'What calls in flight hold, in micros.' }),
    resetsAt: Timestamp.meta({ description: 'The end of the day: the next midnight, UTC.' }),
  })
  .meta({
    id: 'LimitsToday',
    description: 'What counts against the limits of this day, in live mode.',
  })

const dailyLimit = { ...ceilings, today: Today }

export const LimitsView = z
  .object({
    organization: z.object(dailyLimit).meta({ description: 'The limits of all applications together.' }),
    applications: z
      .array(z.object({ application: ApplicationSlug, ...dailyLimit }))
      .meta({ description: 'The limits of single applications, of those that have some.' }),
  })
  .meta({
    id: 'Limits',
    description: 'What the organization allows itself a day (UTC), in live mode.',
  })

export async function limitsView(context: Context): Promise<z.output<typeof LimitsView>> {
  const { organization, store } = context
  const limits = await store.dailyLimits.of(organization.id)
  const applications: z.output<typeof LimitsView>['applications'] = []
  for (const limit of limits) {
    const { applicationId } = limit
    const application = applicationId && (await store.applications.byId(organization.id, applicationId))
    if (application) applications.push({ application: application.slug, ...(await shown(limit, context)) })
  }
  const own = limitOf(null, limits, context)
  return { organization: await shown(own, context), applications }
}

/** Returns the settings without today's use of them. */
export async function limitsState({ organization, store }: Context): Promise<object> {
  const limits = await store.dailyLimits.of(organization.id)
  return limits.map(({ applicationId, callsMax, setAtMs, spendMaxMicros }) => ({
    applicationId,
    callsPerDay: callsMax,
    spendPerDayMicros: spendMaxMicros,
    setAt: isoOf(setAtMs),
  }))
}

/** Returns the stored limit, or one without ceilings. @param applicationId null for the organization's limit */
export function limitOf(
  applicationId: string | null,
  limits: readonly DailyLimit[],
  { nowMs }: Pick<Context, 'nowMs'>,
): DailyLimit {
  const known = limits.find((limit) => limit.applicationId === applicationId)
  return known ?? { applicationId, callsMax: null, spendMaxMicros: null, setAtMs: nowMs }
}

async function shown(
  { applicationId, callsMax, spendMaxMicros }: DailyLimit,
  { nowMs, organization, store }: Context,
): Promise<z.output<typeof LimitsView>['organization']> {
  const { startsAtMs } = calendarWindow('day', nowMs)
  const use = await store.dailyLimits.use({ organizationId: organization.id, applicationId }, startsAtMs)
  return {
    callsPerDay: callsMax,
    spendPerDayMicros: spendMaxMicros,
    today: {
      calls: use.calls + use.inFlight.length,
      spentMicros: use.spentMicros,
      heldMicros: use.inFlight.reduce((sum, { worstMicros }) => sum + worstMicros, 0n),
      resetsAt: startsAtMs + dayMs,
    },
  }
}
