/**
 * Additions to the OpenAPI document where the JSON Schema that is generated from the code would say too little or
 * something else. Schemas are registered when they are used. A later `.meta()` makes an unregistered copy.
 */
import type * as z from 'zod'

/**
 * A shape of an object that has several shapes. A field, or the set of fields that are sent, decides which other fields
 * apply.
 */
export interface Variant {
  /** Name of the variant's schema in the document. */
  readonly name: string
  readonly description: string
  /** Values of the deciding field. Omitted if this variant does not have that field. */
  readonly values?: readonly string[]
  /** Fields that this variant requires in addition to those that are always required. */
  readonly required: readonly string[]
  /** Fields of the object that this variant rejects. */
  readonly without: readonly string[]
}

export interface Variants {
  /** The deciding field. Null if the set of fields that are sent decides. */
  readonly by: string | null
  readonly of: readonly Variant[]
}

const variantsBySchema = new WeakMap<z.core.$ZodType, Variants>()
const wireBySchema = new WeakMap<z.core.$ZodType, Readonly<Record<string, unknown>>>()

/**
 * Describes an object as one of several variants. The code still parses one object and checks the fields itself, so
 * that a rejection names the field and the reason.
 */
export function withVariants<S extends z.ZodType>(schema: S, variants: Variants): S {
  variantsBySchema.set(schema, variants)
  return schema
}

export function variantsOf(schema: z.core.$ZodType): Variants | undefined {
  return variantsBySchema.get(schema)
}

/** Describes a query text as the value that clients send. For example, `?limit=50` is an integer. */
export function documentedAs<S extends z.ZodType>(schema: S, json: Readonly<Record<string, unknown>>): S {
  wireBySchema.set(schema, json)
  return schema
}

export function documentedOf(schema: z.core.$ZodType): Readonly<Record<string, unknown>> | undefined {
  return wireBySchema.get(schema)
}
