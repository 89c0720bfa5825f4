/**
 * What the OpenAPI document says about a schema where JSON Schema made from the code would say less or something else.
 * Schemas are registered as they are used; a later `.meta()` makes a copy, which is not registered.
 */
import type * as z from 'zod'

/** One of several shapes of an object, when a field or a choice of fields decides which other fields apply. */
export interface Variant {
  /** Name of its schema in the document. */
  readonly name: string
  readonly description: string
  /** Values of the deciding field; omitted: this variant does not have that field. */
  readonly values?: readonly string[]
  /** Fields that are required here, in addition to those that are always required. */
  readonly required: readonly string[]
  /** Fields of the object that are rejected here. */
  readonly without: readonly string[]
}

export interface Variants {
  /** The field whose values decide; null: which fields are sent decides. */
  readonly by: string | null
  readonly of: readonly Variant[]
}

const variantsBySchema = new WeakMap<z.core.$ZodType, Variants>()
const wireBySchema = new WeakMap<z.core.$ZodType, Readonly<Record<string, unknown>>>()

/**
 * Describes an object as one of several. The code still parses one object and checks the fields itself, so that a
 * rejection names the field and the reason.
 */
export function withVariants<S extends z.ZodType>(schema: S, variants: Variants): S {
  variantsBySchema.set(schema, variants)
  return schema
}

export function variantsOf(schema: z.core.$ZodType): Variants | undefined {
  return variantsBySchema.get(schema)
}

/** Describes text of a query as the value that clients send: `?limit=50` is an integer. */
export function documentedAs<S extends z.ZodType>(schema: S, json: Readonly<Record<string, unknown>>): S {
  wireBySchema.set(schema, json)
  return schema
}

export function documentedOf(schema: z.core.$ZodType): Readonly<Record<string, unknown>> | undefined {
  return wireBySchema.get(schema)
}
