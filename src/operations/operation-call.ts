import * as z from 'zod'
import type { Method } from './operation.ts'

/** A call of an operation that a response suggests as the next step. */
export interface OperationCall {
  /** ID of the operation. */
  readonly operation: string
  readonly method: Method
  /** The path with its parameters filled in. */
  readonly path: string
  /** An example body. Null if the operation has no body. */
  readonly body: Readonly<Record<string, unknown>> | null
}

export const OperationCallView = z
  .object({
    operation: z.string().meta({ description: 'Id of the operation.', examples: ['providers.price'] }),
    method: z.enum(['GET', 'PUT', 'POST', 'PATCH', 'DELETE']).meta({ description: 'Its method.' }),
    path: z.string().meta({ description: 'Its path, filled in.', examples: ['/v1/providers/main/price'] }),
    body: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'An example of its body; null: it takes none.' }),
  })
  .meta({ id: 'OperationCall', description: 'A call of the control plane.' })
