import assert from 'node:assert/strict'
import * as z from 'zod'
import { documentedOf, variantsOf, type Variants } from '#operations/kernel/openapi-annotations-of-schemas.ts'

export type Json = { readonly [key: string]: unknown }

/**
 * A schema with an `id` appears once, under `components`. The input side of a codec is its JSON form, and responses are
 * encoded with the same codec (ARCHITECTURE.md). Requests and responses are therefore both described with `io:
 * 'input'`.
 */
export class Schemas {
  readonly #named = new Map<string, Json>()

  of(schema: z.ZodType): Json {
    const {
      $schema: _,
      $defs,
      ...json
    }: Json = z.toJSONSchema(schema, {
      io: 'input',
      target: 'draft-2020-12',
      override({ jsonSchema, zodSchema }) {
        const documented = documentedOf(zodSchema)
        if (documented) {
          for (const name of Object.keys(jsonSchema)) delete jsonSchema[name]
          Object.assign(jsonSchema, documented)
        }
        const variants = variantsOf(zodSchema)
        if (variants) jsonSchema[variantsKey] = variants
        // zod's pattern for days, times and email addresses only repeats the format, in 300 characters.
        if (['date', 'date-time', 'email'].includes(jsonSchema.format ?? '')) delete jsonSchema.pattern
        // `readonly()` is meant for TypeScript, but `readOnly` in a JSON Schema would forbid clients to send the field.
        delete jsonSchema.readOnly
      },
    })
    for (const [name, definition] of Object.entries(isJson($defs) ? $defs : {})) {
      assert(isJson(definition), `the schema ${name} is not an object`)
      const { id: __, ...body } = definition
      this.#name(name, this.#oneOf(withComponentReferences(body)))
    }
    return this.#oneOf(withComponentReferences(json))
  }

  #name(name: string, schema: Json): void {
    assert.deepEqual(this.#named.get(name) ?? schema, schema, `two schemas have the name ${name}`)
    this.#named.set(name, schema)
  }

  /** Replaces each object with variants by a `oneOf`, which refers to one component for each variant. */
  #oneOf(schema: Json): Json {
    const parts = Object.entries(schema).map(([name, part]) => [name, this.#oneOfWithin(part)] as const)
    const { [variantsKey]: variants, ...whole }: Json = Object.fromEntries(parts)
    if (!isVariants(variants)) return whole
    const { additionalProperties: _, properties: __, required: ___, type: ____, ...about } = whole
    const { by, of } = variants
    const isDecided = by !== null && of.every(({ values }) => values !== undefined)
    const references = of.map((variant) => {
      this.#name(variant.name, variantOf(whole, by, variant))
      return { $ref: `#/components/schemas/${variant.name}` }
    })
    const mapping = Object.fromEntries(
      of.flatMap(({ name, values = [] }) =>
        values.map((value) => [value, `#/components/schemas/${name}`] as const),
      ),
    )
    return {
      ...about,
      oneOf: references,
      ...(isDecided && { discriminator: { propertyName: by, mapping } }),
    }
  }

  #oneOfWithin(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one: unknown) => this.#oneOfWithin(one))
    return isJson(value) ? this.#oneOf(value) : value
  }

  named(): Record<string, Json> {
    return Object.fromEntries([...this.#named].toSorted(([one], [other]) => (one < other ? -1 : 1)))
  }
}

/** The key under which a JSON Schema contains its variants until they are moved to `components`. */
const variantsKey = 'x-variants'

function isVariants(value: unknown): value is Variants {
  return isJson(value) && Array.isArray(value['of'])
}

function variantOf(
  whole: Json,
  by: string | null,
  { description, required, values, without }: Variants['of'][number],
): Json {
  const properties = isJson(whole['properties']) ? whole['properties'] : {}
  const always: unknown[] = Array.isArray(whole['required']) ? whole['required'] : []
  const own = Object.entries(properties)
    .filter(([name]) => !without.includes(name))
    .map(([name, property]) => {
      if (name !== by || values === undefined || !isJson(property)) return [name, property]
      return [name, { ...property, enum: values }]
    })
  return {
    type: 'object',
    description,
    properties: Object.fromEntries(own),
    required: [...new Set([...always, ...required])],
    additionalProperties: false,
  }
}

function withComponentReferences(json: Json): Json {
  const text = JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/')
  const parsed: Json = JSON.parse(text)
  return parsed
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}
