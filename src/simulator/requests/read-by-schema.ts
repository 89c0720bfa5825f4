import * as z from 'zod'
import type { UpstreamWire } from '#domain/accounts/provider-kinds.ts'
import type { Rejection } from '#simulator/simulated-rejection.ts'
import { foreignField } from '#simulator/reject-field-of-another-wire.ts'
import { isObject, type JsonObject } from '#simulator/read-values-of-any-shape.ts'

export type Reading<Result> = Generator<Rejection, Result, void>

/** `message` is empty unless the schema defines a message. */
export type Issue = z.core.$ZodIssue

/**
 * First, the schema checks each field. Then `read` checks the relations between fields.
 * @param words returns the vendor's message about an invalid field
 */
export function read<Schema extends z.ZodType, Result>(
  wire: UpstreamWire,
  body: JsonObject,
  schema: Schema,
  words: (issue: Issue, body: JsonObject) => Rejection,
  reading: (request: z.output<Schema>) => Reading<Result>,
): Result | Rejection {
  const foreign = foreignField(wire, body)
  if (foreign !== null) {
    return words({ code: 'unrecognized_keys', keys: [foreign], path: [foreign], message: '' }, body)
  }
  const parsed = schema.safeParse(body, inVendorsWords)
  if (parsed.success) return reading(parsed.data).next().value
  const [issue] = parsed.error.issues
  return words(issue ?? { code: 'custom', path: [], message: 'Invalid request.' }, body)
}

/** Replaces zod's own messages. */
const inVendorsWords = { error: () => '', reportInput: true }

export function listOf<Element extends z.ZodType>(
  element: Element,
  { fault, min = 0, max = Infinity }: { fault?: Fault | undefined; min?: number; max?: number } = {},
) {
  const whole = z.array(z.unknown(), { error: fault }).min(min).max(max)
  return whole.transform((values, context) => {
    const list: z.output<Element>[] = []
    for (const [index, value] of values.entries()) {
      const parsed = element.safeParse(value, inVendorsWords)
      if (!parsed.success) {
        const [issue] = parsed.error.issues
        // Only the path changes and not the kind of the issue, so the cast is safe.
        const moved = { ...issue, path: [index, ...(issue?.path ?? [])] } as z.core.$ZodRawIssue
        context.issues.push(moved)
        return z.NEVER
      }
      list.push(parsed.data)
    }
    return list
  })
}

type Fault = string | ((issue: { readonly input?: unknown }) => string | undefined)

export const AnyObject = z.looseObject({})

/** Accepts objects of unknown kinds, such as tools that the simulator does not support. */
export function byKind<const Options extends readonly OfKind[]>(
  options: Options,
  kindOf: (value: JsonObject) => unknown = ({ type }) => type,
) {
  const known = new Set<unknown>(options.flatMap(({ shape }) => [...shape.kind.values]))
  const other = z.looseObject({ kind: z.literal('other'), type: z.string().min(1) })
  const withKind = (value: unknown): unknown => {
    if (!isObject(value)) return value
    const kind = kindOf(value)
    return { ...value, kind: known.has(kind) ? kind : 'other' }
  }
  return z.preprocess(withKind, z.discriminatedUnion('kind', [other, ...options]))
}

type OfKind = z.ZodObject<{ kind: z.ZodLiteral<string> }>

/** A plain string counts as a list with one text part. */
export function listOrText<Part extends z.ZodType>(type: string, part: Part, fault?: Fault) {
  const asList = (value: unknown): unknown => (typeof value === 'string' ? [{ type, text: value }] : value)
  return z.preprocess(asList, listOf(part, { fault }))
}
