import * as z from 'zod'
import { described, tokenFields } from '#operations/kernel/request-figure-fields.ts'
import { Count, MicrosSum, SignedMicros } from '#operations/kernel/value-and-page-schemas.ts'

export const usageFields = {
  calls: described(Count, 'calls'),
  inputTokens: tokenFields.inputTokens,
  outputTokens: tokenFields.outputTokens,
  billedMicros: SignedMicros.meta({
    description:
      'Billed amount, in micros, minus refunds in the range. Negative if refunds of earlier requests exceed the billed amount.',
  }),
  overHoldMicros: described(MicrosSum, 'overHoldMicros'),
}

export const UsageTotals = z
  .object(usageFields)
  .meta({ id: 'UsageTotals', description: 'Totals of settled requests.' })
