import * as z from 'zod'
import type { Method } from './declare-operation.ts'

export interface OperationCall {
  readonly operation: string
  readonly method: Method
  readonly path: string
  /** Null if the operation has no body. */
  readonly body: Readonly<Record<string, unknown>> | null
}

export const OperationCallView = z
  .object({
    operation: z.string().meta({ description: 'ID of the operation.', examples: ['providers.price'] }),
    method: z
      .enum(['GET', 'PUT', 'POST', 'PATCH', 'DELETE'])
      .meta({ description: 'HTTP method of the operation.' }),
    path: z.string().meta({
      description: 'Path of the operation, with values for all parameters.',
      examples: ['/v1/providers/main/price'],
    }),
    body: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'Example request body. Null if the operation has no body.' }),
  })
  .meta({
    id: 'OperationCall',
    description: 'A request to the control plane that is suggested as the next step.',
  })
