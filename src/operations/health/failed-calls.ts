import * as z from 'zod'
import { Count } from '#operations/schemas.ts'

const perClass = <Of extends z.ZodType>(of: Of) =>
  z.object({
    client: of.meta({ description: 'The request was wrong, or its sender left.' }),
    limit: of.meta({ description: 'Money or a rate said no.' }),
    provider: of.meta({ description: 'The provider failed, or did not answer.' }),
    ours: of.meta({ description: 'This server failed.' }),
  })

export const FailedCalls = perClass(Count).meta({
  id: 'FailedCalls',
  description: 'Calls that did not go well, by whose doing it was.',
})

export const FailureRates = perClass(z.number().min(0).max(1)).meta({
  id: 'FailureRates',
  description: 'Calls that did not go well as shares of all, from 0 to 1, by whose doing it was.',
})
