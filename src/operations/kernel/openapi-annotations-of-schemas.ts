/**
 * Corrects the OpenAPI document where the JSON Schema that is generated from the code would be incomplete or wrong.
 * `withVariants` and `documentedAs` register a schema. Do not call `.meta()` on the returned schema, because the call
 * creates a copy that is not registered.
 */
import type * as z from 'zod'

/**
 * Describes one variant of an object that has several variants. The value of one field, or the set of fields that are
 * sent, decides which variant applies.
 */
export interface Variant {
  /** Name of the variant's schema in the document. */
  readonly name: string
  readonly description: string
  /**
   * The values of the deciding field for which this variant applies. Omitted if this variant does not have that field.
   */
  readonly values?: readonly string[]
  /** Fields that this variant requires in addition to the fields that every variant requires. */
  readonly required: readonly string[]
  /** Fields of the object that are rejected in this variant. */
  readonly without: readonly string[]
}

export interface Variants {
  /** The field whose value decides which variant applies. Null if the set of fields that are sent decides. */
  readonly by: string | null
  readonly of: readonly Variant[]
}

const variantsBySchema = new WeakMap<z.core.$ZodType, Variants>()
const wireBySchema = new WeakMap<z.core.$ZodType, Readonly<Record<string, unknown>>>()

/**
 * Describes an object as one of several variants. The code still parses one object and checks the fields itself, so
 * that an error names the field and the reason.
 */
export function withVariants<S extends z.ZodType>(schema: S, variants: Variants): S {
  variantsBySchema.set(schema, variants)
  return schema
}

export function variantsOf(schema: z.core.$ZodType): Variants | undefined {
  return variantsBySchema.get(schema)
}

/** Sets the JSON schema that documents a query parameter. For example, `?limit=50` is documented as an integer. */
export function documentedAs<S extends z.ZodType>(schema: S, json: Readonly<Record<string, unknown>>): S {
  wireBySchema.set(schema, json)
  return schema
}

export function documentedOf(schema: z.core.$ZodType): Readonly<Record<string, unknown>> | undefined {
  return wireBySchema.get(schema)
}
