import * as z from 'zod'
import type { UpstreamWire } from '#domain/provider-kinds.ts'
import type { Complaint } from '#simulator/complaint.ts'
import { foreignField } from '#simulator/foreign-field.ts'
import { isObject, type JsonObject } from '#simulator/loose-json.ts'

/** The result of reading a request; a complaint on the way ends it. */
export type Reading<Result> = Generator<Complaint, Result, void>

/** A field that a schema refuses; `message` is empty, or the schema's own sentence. */
export type Issue = z.core.$ZodIssue

/**
 * Reads a request as its vendor does: each field by the schema, then the relations between fields by the reading.
 * @param words the vendor's sentence about a field
 */
export function read<Schema extends z.ZodType, Result>(
  wire: UpstreamWire,
  body: JsonObject,
  schema: Schema,
  words: (issue: Issue, body: JsonObject) => Complaint,
  reading: (request: z.output<Schema>) => Reading<Result>,
): Result | Complaint {
  const foreign = foreignField(wire, body)
  if (foreign !== null) {
    return words({ code: 'unrecognized_keys', keys: [foreign], path: [foreign], message: '' }, body)
  }
  const parsed = schema.safeParse(body, inVendorsWords)
  if (parsed.success) return reading(parsed.data).next().value
  const [issue] = parsed.error.issues
  return words(issue ?? { code: 'custom', path: [], message: 'Invalid request.' }, body)
}

/** Suppresses zod's own sentences. */
const inVendorsWords = { error: () => '', reportInput: true }

/**
 * A list that is read up to its first wrong element: zod's own reads all of them, and its stack is too small for the
 * issues of a list of a hundred thousand.
 */
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
        // An issue of the same kind, further from its field: the type of a union's spread cannot express that.
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

/** An object that is not read. */
export const AnyObject = z.looseObject({})

/**
 * Objects of several kinds, by their `type` unless stated. Other kinds pass, such as tools that the vendor runs itself
 * and the simulator lacks.
 */
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

/** A list of blocks or parts; a bare text counts as one of that type. */
export function listOrText<Part extends z.ZodType>(type: string, part: Part, fault?: Fault) {
  const asList = (value: unknown): unknown => (typeof value === 'string' ? [{ type, text: value }] : value)
  return z.preprocess(asList, listOf(part, { fault }))
}
