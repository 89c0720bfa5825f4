import * as z from 'zod'
import { operation } from '#operations/kernel/declare-operation.ts'
import { findIfNamed, ownApplication } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { ApplicationSlug } from '#operations/kernel/value-and-page-schemas.ts'
import {
  ceilings,
  limitOf,
  LimitsView,
  limitsState,
  limitsView,
} from '#operations/limits/shared/limits-view.ts'

export default operation({
  id: 'limits.set',
  method: 'PATCH',
  path: '/v1/limits',
  scope: 'organization',
  leastRole: 'admin',
  summary: "Set the organization's daily limits",
  description:
    'Sets the daily limits (UTC) of the organization, or of one application, for live mode. Omit a field to keep the current limit. Set a field to null to remove the limit.\n\n- Requests beyond a limit return 403 `organization_limit_reached`. Client libraries do not retry this error, because its status is 403.\n- If only one server process uses the database, the limits are exact.\n- If several processes share a database, each process reads the counts of the other processes once per second, or less often if the reads are slow. Between two reads, admitted requests can exceed a limit.',
  body: z.strictObject({
    application: z
      .exactOptional(ApplicationSlug)
      .meta({ description: 'Slug of the application to limit. Omit to limit all applications together.' }),
    callsPerDay: z.exactOptional(ceilings.callsPerDay),
    spendPerDayMicros: z.exactOptional(ceilings.spendPerDayMicros),
  }),
  output: LimitsView,
  errors: ['not_found'],
  configures: 'organization',
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
