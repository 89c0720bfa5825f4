import * as z from 'zod'
import { usageSums } from '#domain/sums-of-request-figures.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { findIfNamed, ownEndUserOrRemoved } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { ExternalId, Moment } from '#operations/kernel/value-and-page-schemas.ts'
import { usageFields, UsageTotals } from '#operations/usage/shared/usage-totals-view.ts'

export default operation({
  id: 'usage',
  method: 'GET',
  path: '/v1/usage',
  scope: 'application',
  summary: 'Show usage by model name',
  description:
    'Returns usage in the mode of the request, by requested model name, for one end user or for all. Usage is summed per day (UTC). If `from` or `to` is a time within a day, the whole day is included.',
  query: {
    endUserId: ExternalId.optional().meta({
      description:
        'External ID of an end user, or their ID, `eu_…`. A deleted end user is found by ID only. Omit for all end users.',
    }),
    from: Moment.optional().meta({
      description: 'First day of the range, or a time on that day. Omit to start with the first usage.',
    }),
    to: Moment.optional().meta({
      description: 'End of the range, exclusive: a day (UTC) or a time. Omit for no end.',
    }),
  },
  output: z.object({
    rows: z
      .array(
        z.object({
          requestedModel: z.string().meta({ description: 'The requested model name.' }),
          ...usageFields,
        }),
      )
      .meta({ description: 'Usage by model name, in alphabetical order.' }),
    totals: UsageTotals.meta({ description: 'Totals of all rows.' }),
  }),
  errors: ['not_found'],
  async run({ query }, context) {
    const { application, mode, store } = context
    const endUser = await findIfNamed(ownEndUserOrRemoved, query.endUserId, context, 'endUserId')
    if (endUser instanceof Refused) return endUser
    const fromDay = query.from === undefined ? null : Math.floor(query.from / dayMs)
    const toDay = query.to === undefined ? null : Math.ceil(query.to / dayMs)
    if (fromDay !== null && toDay !== null && toDay <= fromDay) {
      return refused('invalid_request', { reason: 'to must be later than from.' }, 'to')
    }
    const sums = await store.usage.byAlias(application.id, mode, {
      endUserId: endUser?.id ?? null,
      fromDay,
      toDay,
    })
    const totals = usageSums.zero()
    for (const sum of sums) usageSums.add(totals, sum)
    return { rows: sums.map(({ alias, ...rest }) => ({ requestedModel: alias, ...rest })), totals }
  },
})
