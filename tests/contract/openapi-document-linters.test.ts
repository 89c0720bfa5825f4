import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import openapi from '../../openapi.json' with { type: 'json' }
import examples from '../../src/http/openapi/examples.json' with { type: 'json' }
import { operations } from '#operations/index.ts'

type Schema = { readonly [key: string]: unknown }

interface DocumentedOperation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name?: string; readonly in?: string; readonly schema?: Schema }[]
  readonly responses?: object
}

const document: {
  readonly components: {
    readonly schemas: Readonly<
      Record<
        string,
        { readonly required?: readonly string[]; readonly properties?: Readonly<Record<string, Schema>> }
      >
    >
  }
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
} = JSON.parse(JSON.stringify(openapi))

const root = fileURLToPath(new URL('../../', import.meta.url))

describe('openapi.json', () => {
  it('openapi.json passes the strictest rules of @redocly/cli without a warning', async () => {
    const words = ['lint', 'openapi.json', '--config', 'redocly.yaml', '--format', 'json']
    const { stdout } = await promisify(execFile)(`${root}node_modules/.bin/redocly`, words, {
      cwd: root,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    })
    const { problems, totals }: { problems: unknown[]; totals: object } = JSON.parse(stdout)
    expect(problems).toEqual([])
    expect(totals).toMatchObject({ errors: 0, warnings: 0 })
  })

  it('each schema that several responses share has one name in openapi.json, so that the SDKs have one type for it', () => {
    const places = new Map<string, string[]>()
    const visit = (value: unknown, place: string): void => {
      if (typeof value !== 'object' || value === null) return
      if ('properties' in value && isObject(value.properties) && Object.keys(value.properties).length >= 3) {
        const shape = JSON.stringify(withoutWords(value))
        places.set(shape, [...(places.get(shape) ?? []), place])
      }
      for (const [name, part] of Object.entries(value)) visit(part, `${place}/${name}`)
    }
    visit(document.components.schemas, 'schemas')
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, { responses }] of Object.entries(methods)) visit(responses, `${method} ${path}`)
    expect(places.size).toBeGreaterThan(50)
    expect([...places.values()].filter((all) => all.length > 1)).toEqual([])
  })

  it('if several schemas share an enum, the enum has one name in openapi.json', () => {
    const places = new Map<string, string[]>()
    visitSchemas({ ...document, components: { schemas: document.components.schemas } }, (schema, place) => {
      if (!Array.isArray(schema['enum'])) return
      const words = schema['enum'].join()
      places.set(words, [...(places.get(words) ?? []), place])
    })
    expect([...places].filter(([, all]) => all.length > 1)).toEqual([])
  })

  it('openapi.json uses every schema that it names', () => {
    const text = JSON.stringify(document)
    const names = Object.keys(document.components.schemas)
    expect(names.filter((name) => !text.includes(`"#/components/schemas/${name}"`))).toEqual([])
  })

  it('no two components of openapi.json have the same name, even if they are of different kinds', () => {
    // The names of all kinds of components are compared, because oapi-codegen also creates a type for each parameter.
    const names = Object.values(document.components).flatMap((part) => Object.keys(part))
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  })

  it('openapi.json never causes a generator to create two types with the same name', () => {
    // orval names an enum after its schema and field, or after its operation and parameter.
    const made: string[] = []
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      made.push(name)
      visitSchemas(schema, (part, place) => {
        if (Array.isArray(part['enum'])) made.push(pascal(`${name}.${lastName(place)}`))
      })
    }
    for (const [, operation] of operationsOf(document)) {
      made.push(`${pascal(operation.operationId)}Params`, `${pascal(operation.operationId)}Body`)
      for (const { name = '', schema } of operation.parameters ?? [])
        if (Array.isArray(schema?.['enum'])) made.push(pascal(`${operation.operationId}.${name}`))
    }
    expect(made.length).toBeGreaterThan(300)
    expect(made.filter((name, at) => made.indexOf(name) !== at)).toEqual([])
  })

  it('in openapi.json, query parameters with integers or booleans have these types, and each path parameter has a pattern or a format', () => {
    const limits = new Set<unknown>()
    for (const [place, { parameters = [] }] of operationsOf(document)) {
      for (const { in: where, name, schema = {} } of parameters) {
        if (name === 'limit') limits.add(JSON.stringify(schema))
        if (where === 'query')
          expect([place, name, schema['enum']]).not.toEqual([place, name, ['true', 'false']])
        if (where === 'path') expect([place, name, schema]).not.toEqual([place, name, { type: 'string' }])
        if (where === 'path' && schema['format'] !== 'email')
          expect([place, name, typeof schema['pattern']]).toEqual([place, name, 'string'])
      }
    }
    expect([...limits]).toEqual([JSON.stringify({ type: 'integer', minimum: 1, maximum: 200 })])
  })

  it('openapi.json has a component for each branch of `oneOf`, and maps each value of a discriminator to the branch with that value', () => {
    let count = 0
    visitSchemas(document, ({ discriminator, oneOf }) => {
      if (!Array.isArray(oneOf)) return
      count += 1
      const references = oneOf.map((branch) => branch.$ref)
      expect(references).not.toContain(undefined)
      if (!isObject(discriminator)) return
      const { mapping, propertyName }: { mapping?: Record<string, string>; propertyName?: string } =
        discriminator
      expect(new Set(Object.values(mapping ?? {}))).toEqual(new Set(references))
      for (const [value, reference] of Object.entries(mapping ?? {})) {
        const schema = document.components.schemas[reference.split('/').at(-1) ?? '']
        expect(schema?.required).toContain(propertyName)
        expect(schema?.properties?.[propertyName ?? '']?.['enum']).toContain(value)
      }
    })
    expect(count).toBe(5)
  })

  it('openapi.json has an example of every operation', () => {
    expect(Object.keys(examples).toSorted()).toEqual(operations.map(({ id }) => id).toSorted())
  })
})

function operationsOf({ paths }: typeof document): [string, DocumentedOperation][] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, DocumentedOperation] => [
      `${method} ${path}`,
      operation,
    ]),
  )
}

/** Skips examples, because examples are data. */
function visitSchemas(value: unknown, see: (part: Schema, place: string) => void, place = ''): void {
  if (!isObject(value)) return
  if (!Array.isArray(value)) see({ ...value }, place)
  for (const [name, part] of Object.entries(value))
    if (name !== 'example' && name !== 'examples') visitSchemas(part, see, `${place}/${name}`)
}

function lastName(place: string): string {
  const names = place.split('/').filter((name) => !/^(?:properties|anyOf|oneOf|items|\d*)$/.test(name))
  return names.at(-1) ?? ''
}

function pascal(id: string): string {
  return id.replaceAll(/(?:^|[._-])(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/**
 * Removes descriptions and examples from a schema, because equal schemas may have different descriptions and examples.
 */
function withoutWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWords)
  if (!isObject(value)) return value
  const parts = Object.entries(value).filter(
    ([name]) => !['description', 'examples', 'example'].includes(name),
  )
  return Object.fromEntries(
    parts
      .map(([name, part]) => [name, withoutWords(part)])
      .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
  )
}
