import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { findIfNamed, ownApplication } from '#operations/own.ts'
import { Refused } from '#operations/refused.ts'
import { ApplicationSlug } from '#operations/schemas.ts'
import { ceilings, limitOf, LimitsView, limitsState, limitsView } from './limits-view.ts'

export default operation({
  id: 'limits.set',
  method: 'PATCH',
  path: '/v1/limits',
  scope: 'organization',
  leastRole: 'admin',
  summary: "Set the organization's own limits",
  description:
    'Sets what the organization, or one application of it, may use a day (UTC) in live mode. Fields that are left out stay as they are; null takes a limit away. A call beyond a limit is 403 `organization_limit_reached`, and its client does not repeat it. One process keeps to a limit exactly. Several processes on one database know of each other’s calls after a second, or after twenty times as long as the count takes to read: by what each of them admits in that time a limit may be exceeded.',
  body: z.strictObject({
    application: z
      .exactOptional(ApplicationSlug)
      .meta({ description: 'The application to limit; left out: all applications together.' }),
    callsPerDay: z.exactOptional(ceilings.callsPerDay),
    spendPerDayMicros: z.exactOptional(ceilings.spendPerDayMicros),
  }),
  output: LimitsView,
  errors: ['not_found'],
  changes: 'organization',
  isExtension: true,
  async run({ body }, context) {
    const { organization, store } = context
    const application = await findIfNamed(ownApplication, body.application, context, 'application')
    if (application instanceof Refused) return application
    const limit = limitOf(application?.id ?? null, await store.dailyLimits.of(organization.id), context)
    await store.dailyLimits.put(organization.id, {
      ...limit,
      ...(body.callsPerDay !== undefined && { callsMax: body.callsPerDay }),
      ...(body.spendPerDayMicros !== undefined && { spendMaxMicros: body.spendPerDayMicros }),
    })
    return limitsView(context)
  },
  revision: async (_, context) => limitsState(context),
})
