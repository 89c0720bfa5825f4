/** What is made from the table of operations, and what must name the same things as it does. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { errors } from '#domain/errors.ts'
import { errorsOf } from '#http/operation-errors.ts'
import { openapiDocument } from '#http/openapi.ts'
import { nounOf, nouns, operations } from '#operations/index.ts'
import { generatedFiles } from '../tools/generate/files.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
describe('generated files', () => {
  for (const [name, text] of Object.entries(generatedFiles())) {
    it(`${name} is what \`npm run generate\` writes`, () => {
      expect(readFileSync(join(root, name), 'utf8') === text, `${name} is old: run npm run generate`).toBe(
        true,
      )
    })
  }

  it('openapi.json is a valid OpenAPI 3.1 document to a validator that is not ours', async () => {
    const answer = await new Validator().validate(readFileSync(join(root, 'openapi.json'), 'utf8'))
    expect(answer).toEqual({ valid: true })
  })
})

describe('the table of operations', () => {
  for (const operation of operations) {
    it(`${operation.id} is in the file of its name`, () => {
      const [noun = '', verb = noun] = operation.id.split('.')
      const file = verb.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
      expect(existsSync(join(root, 'src/operations', noun, `${file}.ts`))).toBe(true)
    })

    it(`${operation.id} says what it does, in sentences`, () => {
      expect(operation.summary).toMatch(/^[A-Z][^.]*$/)
      expect(operation.description).toMatch(/^[A-Z].*[.)]$/s)
    })
  }

  it('is ordered by nouns that are all known', () => {
    expect(new Set(operations.map(nounOf))).toEqual(new Set(nouns))
  })

  it('has every id and every method and path once', () => {
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
    expect(new Set(operations.map(({ method, path }) => `${method} ${path}`)).size).toBe(operations.length)
  })

  it('has no operation file that is not in it', () => {
    const files = readdirSync(join(root, 'src/operations'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .filter((file) =>
        /^export default \w+\(/m.test(readFileSync(join(root, 'src/operations', file), 'utf8')),
      )
    expect(files).toHaveLength(operations.length)
  })

  it('describes every field of every body, and every parameter', () => {
    const undescribed: string[] = []
    for (const [path, item] of Object.entries(openapiDocument(operations)['paths'] as Paths)) {
      for (const [method, operation] of Object.entries(item)) {
        for (const parameter of operation.parameters ?? []) {
          if (!('$ref' in parameter) && !parameter.description)
            undescribed.push(`${method} ${path} ${parameter.name}`)
        }
        const body = operation.requestBody?.content['application/json'].schema
        for (const [name, field] of Object.entries(body?.properties ?? {})) {
          if (!('$ref' in field) && !field.description) undescribed.push(`${method} ${path} ${name}`)
        }
      }
    }
    expect(undescribed).toEqual([])
  })

  it('answers with no code that the error table does not have', () => {
    for (const operation of operations)
      for (const code of errorsOf(operation)) expect(errors[code]).toBeDefined()
  })
})

interface Described {
  readonly description?: string
}
type Paths = Record<
  string,
  Record<
    string,
    {
      readonly parameters?: readonly (Described & { readonly name: string })[]
      readonly requestBody?: {
        readonly content: {
          readonly 'application/json': {
            readonly schema: { readonly properties?: Record<string, Described> }
          }
        }
      }
    }
  >
>
