import * as z from 'zod'
import { Count } from '#operations/kernel/value-and-page-schemas.ts'

const perClass = <Of extends z.ZodType>(of: Of) =>
  z.object({
    client: of.meta({
      description: 'Failures caused by the client: the request was invalid, or the client disconnected.',
    }),
    limit: of.meta({ description: 'Failures caused by a limit on money or rate.' }),
    provider: of.meta({ description: 'Failures caused by the provider, which failed or did not respond.' }),
    ours: of.meta({ description: 'Failures caused by this server.' }),
  })

export const FailedCalls = perClass(Count).meta({
  id: 'FailedCalls',
  description: 'Failed requests, by cause.',
})

export const FailureRates = perClass(z.number().min(0).max(1)).meta({
  id: 'FailureRates',
  description: 'Failed requests as shares of all requests, from 0 to 1, by cause.',
})
