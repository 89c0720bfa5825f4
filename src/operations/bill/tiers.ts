import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { Count, Micros } from '#operations/schemas.ts'
import { tableToday, tierState, TierStateView } from './tier-view.ts'

const TierView = z
  .object({
    tier: z.string().meta({ description: 'What bill.subscribe takes.', examples: ['team'] }),
    baseMicros: Micros.meta({ description: 'Price of a calendar month, in micros.' }),
    includedCalls: Count.meta({ description: 'Settled live calls of a month that the base pays for.' }),
    perThousandCallsMicros: Micros.meta({
      description: 'Micros for a thousand settled live calls beyond those; a bill rounds up once a line.',
    }),
    includedSeats: Count.meta({ description: 'Members that the base pays for.' }),
    perSeatMicros: Micros.meta({ description: 'Micros for each further member and month.' }),
  })
  .meta({ id: 'Tier', description: 'What one tier costs.' })

export default operation({
  id: 'bill.tiers',
  method: 'GET',
  path: '/v1/bill/tiers',
  scope: 'organization',
  summary: 'Show tiers and their prices',
  description:
    'The tiers that an organization can be on, the cheapest first, and the one that it is on. Calls in test mode cost nothing.',
  output: z.object({
    current: TierStateView,
    table: z.string().meta({ description: 'Version of the prices.', examples: ['2026-11'] }),
    tiers: z.array(TierView).meta({ description: 'All tiers, the cheapest first.' }),
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
