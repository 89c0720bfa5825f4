import * as z from 'zod'
import { figures } from '#domain/figures.ts'
import { Count, MicrosSum, SignedMicros } from '#operations/kernel/schemas.ts'

/** Totals of settled requests. */
export const usageCounts = {
  calls: Count.meta({ description: 'Number of settled requests.' }),
  inputTokens: Count.meta({ description: 'Input tokens.' }),
  outputTokens: Count.meta({ description: 'Output tokens.' }),
  billedMicros: SignedMicros.meta({
    description:
      'Billed amount, in micros, less refunds in the range. Negative if refunds of earlier requests exceed it.',
  }),
  overHoldMicros: MicrosSum.meta({
    description: figures.overHoldMicros.description,
  }),
}

export const UsageTotals = z
  .object(usageCounts)
  .meta({ id: 'UsageTotals', description: 'Totals of settled requests.' })
