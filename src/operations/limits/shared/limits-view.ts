import * as z from 'zod'
import { calendarWindow, dayMs } from '#money/periods-and-windows.ts'
import type { DailyLimit } from '#domain/daily-limits.ts'
import type { Context } from '#operations/kernel/operation-context.ts'
import {
  ApplicationSlug,
  Count,
  isoOf,
  Micros,
  MicrosSum,
  Timestamp,
} from '#operations/kernel/value-and-page-schemas.ts'

export const ceilings = {
  callsPerDay: z.int().min(0).max(1_000_000_000).nullable().meta({
    description:
      'Maximum requests per day, including requests in flight. 0 blocks all requests. Null means no limit.',
  }),
  spendPerDayMicros: Micros.nullable().meta({
    description:
      'Maximum provider cost per day, in micros. The amounts that requests in flight hold count toward the limit. Requests whose hold would exceed the limit are rejected. Null means no limit.',
  }),
}

const Today = z
  .object({
    calls: Count.meta({ description: 'Number of requests charged today, plus requests in flight.' }),
    spentMicros: MicrosSum.meta({
      description: 'Provider cost of the requests that ended today, including failed requests, in micros.',
    }),
    heldMicros: MicrosSum.meta({ description: 'Amount held by requests in flight, in micros.' }),
    resetsAt: Timestamp.meta({ description: 'End of the day: the next midnight (UTC).' }),
  })
  .meta({
    id: 'LimitsToday',
    description: "Today's usage that counts toward the limits, in live mode.",
  })

const dailyLimit = { ...ceilings, today: Today }

export const LimitsView = z
  .object({
    organization: z
      .object(dailyLimit)
      .meta({ description: 'Limits that apply to all applications of the organization together.' }),
    applications: z.array(z.object({ application: ApplicationSlug, ...dailyLimit })).meta({
      description: 'Limits of single applications. Applications without limits are omitted.',
    }),
  })
  .meta({
    id: 'Limits',
    description: 'Daily limits (UTC) of the organization in live mode.',
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

export async function limitsState({ organization, store }: Context): Promise<object> {
  const limits = await store.dailyLimits.of(organization.id)
  return limits.map(({ applicationId, callsMax, setAtMs, spendMaxMicros }) => ({
    applicationId,
    callsPerDay: callsMax,
    spendPerDayMicros: spendMaxMicros,
    setAt: isoOf(setAtMs),
  }))
}

/**
 * If no limit is stored, returns a limit without any maximum.
 * @param applicationId null for the organization's limit
 */
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
