import * as z from 'zod'
import type { UpstreamWire } from '#domain/provider-kinds.ts'
import type { Complaint } from '#simulator/complaint.ts'
import { foreignField } from '#simulator/fields.ts'
import { isObject, type JsonObject } from '#simulator/loose-json.ts'

/** What comes of a request, unless something is wrong with it, which is said on the way: the first ends it. */
export type Reading<Result> = Generator<Complaint, Result, void>

/** A field that a schema does not take; `message` is empty, or the sentence that the schema has for it. */
export type Issue = z.core.$ZodIssue

/**
 * A request as its vendor reads it: what fields there are, each of them by the schema, then what they are to each
 * other by the reading.
 * @param words what the vendor says of a field
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

/** Without a sentence of zod's own. */
const inVendorsWords = { error: () => '', reportInput: true }

/**
 * A list, which is read to its first wrong element: zod's own looks at all of them, and its stack is too small for
 * the issues of a list of a hundred thousand.
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
        // An issue of the same kind, further from its field: the type of a union's spread does not say so.
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

/** Nothing is looked at in it. */
export const AnyObject = z.looseObject({})

/**
 * Objects of several kinds, by their `type` unless said otherwise. Those of no kind that is listed, as of tools that
 * the vendor runs itself and the simulator has none of, are let be.
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

/** A list of blocks or parts; a text stands for one of that type. */
export function listOrText<Part extends z.ZodType>(type: string, part: Part, fault?: Fault) {
  const asList = (value: unknown): unknown => (typeof value === 'string' ? [{ type, text: value }] : value)
  return z.preprocess(asList, listOf(part, { fault }))
}
