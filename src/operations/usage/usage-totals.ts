import * as z from 'zod'
import { Count, MicrosSum, SignedMicros } from '#operations/schemas.ts'

/** Totals of settled requests. */
export const usageCounts = {
  calls: Count.meta({ description: 'Settled calls.' }),
  inputTokens: Count.meta({ description: 'Tokens in.' }),
  outputTokens: Count.meta({ description: 'Tokens out.' }),
  billedMicros: SignedMicros.meta({
    description:
      'Amount billed, in micros, less refunds made in the range. Negative if refunds of earlier requests exceed it.',
  }),
  overHoldMicros: MicrosSum.meta({
    description:
      'What was used beyond what was held for them: neither charged nor billed, the cost of the application.',
  }),
}

export const UsageTotals = z
  .object(usageCounts)
  .meta({ id: 'UsageTotals', description: 'What settled calls add up to.' })
