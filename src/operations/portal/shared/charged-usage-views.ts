import * as z from 'zod'
import { Count, SignedMicros } from '#operations/kernel/value-and-page-schemas.ts'

/** The charged amount is the only amount that end users see. */
export const chargedCounts = {
  calls: Count.meta({ description: 'Number of settled requests.' }),
  inputTokens: Count.meta({ description: 'Input tokens.' }),
  outputTokens: Count.meta({ description: 'Output tokens.' }),
  billedMicros: SignedMicros.meta({
    description:
      'Amount charged to pools, wallet and on-demand billing, in micros, minus refunds made in the range.',
  }),
}

export const requestedModel = z.string().meta({ description: 'The requested model name.' })

export const ChargedUsage = z
  .object(chargedCounts)
  .meta({ id: 'ChargedUsage', description: 'Usage and its charges.' })

export const ChargedUsageOfModel = z
  .object({ requestedModel, ...chargedCounts })
  .meta({ id: 'ChargedUsageOfModel', description: 'Usage and charges of one model name.' })
