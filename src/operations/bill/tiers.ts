import * as z from 'zod'
import { operation } from '#operations/kernel/declare-operation.ts'
import { Count, Micros } from '#operations/kernel/value-and-page-schemas.ts'
import { tableToday, tierState, TierStateView } from '#operations/bill/shared/organization-tier-view.ts'

const TierView = z
  .object({
    tier: z
      .string()
      .meta({ description: 'Name of the tier, as sent to `bill.subscribe`.', examples: ['team'] }),
    baseMicros: Micros.meta({ description: 'Price of a calendar month, in micros.' }),
    includedCalls: Count.meta({
      description: 'Number of settled live requests per month that the base price includes.',
    }),
    perThousandCallsMicros: Micros.meta({
      description:
        'Price of 1,000 settled live requests beyond `includedCalls`, in micros. The amount of each line of a bill is rounded up once.',
    }),
    includedSeats: Count.meta({ description: 'Number of members that the base price includes.' }),
    perSeatMicros: Micros.meta({
      description: 'Price of each member beyond `includedSeats` per month, in micros.',
    }),
  })
  .meta({ id: 'Tier', description: 'A billing tier with its prices.' })

export default operation({
  id: 'bill.tiers',
  method: 'GET',
  path: '/v1/bill/tiers',
  scope: 'organization',
  summary: 'Show billing tiers',
  description:
    'Returns all billing tiers, cheapest first, and the tier of the organization. Requests in test mode are free.',
  output: z.object({
    current: TierStateView,
    table: z.string().meta({ description: 'Version of the price table.', examples: ['2026-11'] }),
    tiers: z.array(TierView).meta({ description: 'All tiers, cheapest first.' }),
  }),
  async run(_, context) {
    const { tiers, version } = tableToday(context.nowMs)
    return {
      current: await tierState(context),
      table: version,
      tiers: tiers.map(({ name, ...tier }) => ({ tier: name, ...tier })),
    }
  },
})
