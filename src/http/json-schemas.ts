import assert from 'node:assert/strict'
import * as z from 'zod'

export type Json = { readonly [key: string]: unknown }

/**
 * zod schemas as JSON Schema; those with an `id` are said once, under components. Requests and answers are
 * described with `io: 'input'`: a codec's wire side is its input side, and answers are encoded back through the same
 * codec (ARCHITECTURE.md).
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
      override({ jsonSchema }) {
        // zod's pattern for times repeats the format in 300 characters.
        if (jsonSchema.format === 'date-time' || jsonSchema.format === 'email') delete jsonSchema.pattern
        // `readonly()` is for TypeScript; in a schema it would forbid sending the field.
        delete jsonSchema.readOnly
      },
    })
    for (const [name, definition] of Object.entries(isJson($defs) ? $defs : {})) {
      assert(isJson(definition), `the schema ${name} is not an object`)
      const { id: __, ...body } = definition
      const hoisted = withComponentReferences(body)
      assert.deepEqual(this.#named.get(name) ?? hoisted, hoisted, `two schemas have the name ${name}`)
      this.#named.set(name, hoisted)
    }
    return withComponentReferences(json)
  }

  named(): Record<string, Json> {
    return Object.fromEntries([...this.#named].toSorted(([one], [other]) => (one < other ? -1 : 1)))
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
