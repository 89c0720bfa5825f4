import * as z from 'zod'
import { Count, MicrosSum } from '#operations/schemas.ts'

/** What settled calls add up to. */
export const usageCounts = {
  calls: Count.meta({ description: 'Settled calls.' }),
  inputTokens: Count.meta({ description: 'Tokens in.' }),
  outputTokens: Count.meta({ description: 'Tokens out.' }),
  billedMicros: MicrosSum.meta({ description: 'What was billed for them.' }),
  overHoldMicros: MicrosSum.meta({
    description:
      'What was used beyond what was held for them: neither charged nor billed, the cost of the application.',
  }),
}

export const UsageTotals = z
  .object(usageCounts)
  .meta({ id: 'UsageTotals', description: 'What settled calls add up to.' })
