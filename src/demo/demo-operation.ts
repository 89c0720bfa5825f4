import * as z from 'zod'
import type { ErrorCode } from '#domain/errors.ts'
import type { InputFault } from '#operations/kernel/declare-operation.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import type { DemoTenant } from './demo-tenant.ts'

export type DemoPath = DemoOperation | NotBuilt

/** An operation of the demo tier needs neither a store nor a ledger. */
export interface DemoOperation extends Described {
  readonly kind: 'built'
  /** Error codes in addition to the codes that every operation of the demo tier can return. */
  readonly errors: readonly ErrorCode[]
  readonly input: { readonly path: z.ZodObject; readonly query: z.ZodObject; readonly body: z.ZodType | null }
  readonly output: z.ZodType
  decode(sent: SentInput): DecodedCall | InputFault
}

export interface SentInput {
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
}

interface DecodedCall {
  readonly kind: 'call'
  run(tenant: DemoTenant): { readonly json: unknown } | Refused<ErrorCode>
}

/** For any caller and any input, this operation returns 501 with the name of its issue. */
export interface NotBuilt extends Described {
  readonly kind: 'not_built'
  readonly method: 'POST'
  /** The schema of each `{name}` in the path. */
  readonly parameters: Readonly<Record<string, z.ZodType>>
  /** The issue about implementing this operation. */
  readonly issue: string
}

interface Described {
  /** If callers with a token can use the same path, their operation has the same ID. */
  readonly id: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly feature: string
  readonly summary: string
  readonly description: string
  /**
   * The end of the error for callers who send a token. This part states what to use instead of the demo tier. Null if
   * the control plane has the same operation.
   */
  readonly withToken: string | null
}

export function demoOperation<
  Output extends z.ZodType,
  const Code extends ErrorCode = never,
  // oxlint-disable-next-line typescript/no-empty-object-type -- an operation without such fields
  Query extends z.ZodRawShape = {},
  Body extends z.ZodType = z.ZodUndefined,
>({
  errors = [],
  output,
  run,
  ...definition
}: Omit<Described, 'withToken'> & {
  readonly withToken?: string
  readonly query?: Query
  readonly body?: Body
  readonly output: Output
  readonly errors?: readonly Code[]
  readonly run: (
    tenant: DemoTenant,
    input: { readonly query: z.output<z.ZodObject<Query, z.core.$strict>>; readonly body: z.output<Body> },
  ) => z.output<Output> | Refused<NoInfer<Code>>
}): DemoOperation {
  const { body = null, query = {}, withToken = null, ...described } = definition
  const inQuery = z.strictObject(query)
  return {
    ...described,
    kind: 'built',
    withToken,
    errors,
    input: { path: z.strictObject({}), query: inQuery, body },
    output,
    decode(sent) {
      const sentQuery = inQuery.safeParse(sent.query)
      if (!sentQuery.success) return { kind: 'fault', in: 'query', issues: sentQuery.error.issues }
      const sentBody = (body ?? z.undefined()).safeParse(sent.body)
      if (!sentBody.success) return { kind: 'fault', in: 'body', issues: sentBody.error.issues }
      return {
        kind: 'call',
        run(tenant) {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each part was parsed by its schema
          const input = { query: sentQuery.data, body: sentBody.data } as Parameters<typeof run>[1]
          const answer = run(tenant, input)
          return answer instanceof Refused ? answer : { json: z.encode(output, answer) }
        },
      }
    },
  }
}
