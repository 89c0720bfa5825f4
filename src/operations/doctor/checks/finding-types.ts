import * as z from 'zod'
import type { OperationCall } from '#operations/kernel/suggested-call.ts'
import { OperationCallView } from '#operations/kernel/suggested-call.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import type { ServedNames } from '#operations/routers/shared/names-that-bundles-serve.ts'

/** From the most to the least severe. */
export const severities = ['error', 'warning', 'notice'] as const

export interface Finding {
  readonly code: string
  /**
   * `error`: requests fail or charges are wrong. `warning`: requests may soon fail, or charges may soon be wrong.
   * `notice`: the state may be intended.
   */
  readonly severity: (typeof severities)[number]
  readonly resource: { readonly type: string; readonly id: string }
  readonly message: string
  readonly fix: Fix
}

export interface Fix {
  readonly say: string
  readonly call: OperationCall | null
}

export type CheckContext = ApplicationContext & { readonly names: () => Promise<ServedNames> }

export interface Check {
  readonly name: string
  /** A sentence about the data that the check examines and the data that it ignores. */
  readonly looksAt: string
  readonly run: (context: CheckContext) => Promise<readonly Finding[]>
}

export const FindingView = z
  .object({
    code: z.string().meta({ description: 'Stable code of the finding.', examples: ['name_unpriced'] }),
    severity: z.enum(severities).meta({
      description:
        '`error`: requests fail, or charges are wrong. `warning`: requests may soon fail, or charges may become wrong. `notice`: the setting may be intended.',
    }),
    resource: z
      .object({
        type: z.string().meta({ description: 'Kind of the resource.', examples: ['model'] }),
        id: z.string().meta({
          description: 'Name or ID that identifies the resource in request paths.',
          examples: ['acme/smart'],
        }),
      })
      .meta({ description: 'Resource that the finding is about.' }),
    message: z.string().meta({ description: 'Problem and its consequence.' }),
    fix: z
      .object({
        say: z.string().meta({ description: 'Instruction for the fix.' }),
        call: OperationCallView.nullable().meta({
          description:
            'Request that fixes the problem, with an example body. Null if no request can fix the problem.',
        }),
      })
      .meta({ description: 'Fix for the problem.' }),
  })
  .meta({ id: 'Finding', description: 'A problem, and the request that fixes the problem.' })
