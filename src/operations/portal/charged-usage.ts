import * as z from 'zod'
import { Count, SignedMicros } from '#operations/schemas.ts'

/** The usage that end users see, with one amount: the charged one. */
export const chargedCounts = {
  calls: Count.meta({ description: 'Number of settled requests.' }),
  inputTokens: Count.meta({ description: 'Input tokens.' }),
  outputTokens: Count.meta({ description: 'Output tokens.' }),
  billedMicros: SignedMicros.meta({
    description:
      'Amount charged for them, in micros, less refunds made in the range: what pools, wallet and on-demand paid.',
  }),
}

export const requestedModel = z.string().meta({ description: 'The requested model name.' })

export const ChargedUsage = z
  .object(chargedCounts)
  .meta({ id: 'ChargedUsage', description: 'Usage and the amount charged for it.' })

export const ChargedUsageOfModel = z
  .object({ requestedModel, ...chargedCounts })
  .meta({ id: 'ChargedUsageOfModel', description: 'Usage of one model name and the amount charged for it.' })
