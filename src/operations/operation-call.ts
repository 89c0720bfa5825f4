import * as z from 'zod'
import type { Method } from './operation.ts'

/** A call of an operation that an answer names: what to do next. */
export interface OperationCall {
  /** Id of the operation. */
  readonly operation: string
  readonly method: Method
  /** With its parameters filled in. */
  readonly path: string
  /** An example; null: it takes none. */
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
