/**
 * Corrects the OpenAPI document where the generated JSON Schema would be incomplete or wrong. `withVariants` and
 * `documentedAs` register a schema. Do not call `.meta()` on the returned schema, because `.meta()` returns a copy that
 * is not registered.
 */
import type * as z from 'zod'

export interface Variant {
  readonly name: string
  readonly description: string
  /** Omitted if this variant does not have the deciding field. */
  readonly values?: readonly string[]
  /** Fields that only this variant requires. */
  readonly required: readonly string[]
  /** Fields of the object that this variant rejects. */
  readonly without: readonly string[]
}

export interface Variants {
  /** The field whose value decides which variant applies. Null if the set of fields that are sent decides. */
  readonly by: string | null
  readonly of: readonly Variant[]
}

const variantsBySchema = new WeakMap<z.core.$ZodType, Variants>()
const wireBySchema = new WeakMap<z.core.$ZodType, Readonly<Record<string, unknown>>>()

/** The code still parses one object and checks the fields itself, so that an error names the field and the reason. */
export function withVariants<S extends z.ZodType>(schema: S, variants: Variants): S {
  variantsBySchema.set(schema, variants)
  return schema
}

export function variantsOf(schema: z.core.$ZodType): Variants | undefined {
  return variantsBySchema.get(schema)
}

/** For example, `?limit=50` is documented as an integer although query values are texts. */
export function documentedAs<S extends z.ZodType>(schema: S, json: Readonly<Record<string, unknown>>): S {
  wireBySchema.set(schema, json)
  return schema
}

export function documentedOf(schema: z.core.$ZodType): Readonly<Record<string, unknown>> | undefined {
  return wireBySchema.get(schema)
}
