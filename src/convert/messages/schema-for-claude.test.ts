import { describe, expect, it } from 'vitest'
import { layeredDefinitions } from '#tests/fixtures/layered-schema-definitions.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { schemaForClaude } from './schema-for-claude.ts'

const text = { type: 'string' }

describe('schemaForClaude', () => {
  it('every object becomes closed, because Anthropic rejects open objects', () => {
    const person = { type: 'object', properties: { name: text }, required: ['name'] }
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: {
        one: person,
        many: { type: 'array', items: person },
        either: { anyOf: [person, { type: 'null' }] },
        or: { oneOf: [{ $ref: '#/$defs/P' }, text] },
      },
      $defs: { P: person },
    }
    const closed = { ...person, additionalProperties: false }
    expect(schemaForClaude(schema)).toEqual({
      isChanged: false,
      isAccepted: false,
      schema: {
        type: 'object',
        properties: {
          one: closed,
          many: { type: 'array', items: closed },
          either: { anyOf: [closed, { type: 'null' }] },
          or: { anyOf: [{ $ref: '#/$defs/P' }, text] },
        },
        $defs: { P: closed },
        additionalProperties: false,
      },
    })
  })

  it('each definition is read once, however many references name it', () => {
    const { $defs, first, reads } = layeredDefinitions(text)
    const schema = { type: 'object', properties: { a: first }, additionalProperties: false, $defs }
    expect(schemaForClaude(schema)).toMatchObject({ isAccepted: true })
    expect(reads()).toBeLessThan(1_000)
  })

  it('a schema is rewritten once, however many capabilities ask for it', () => {
    const { $defs, first, reads } = layeredDefinitions(text)
    const schema = { type: 'object', properties: { a: first }, additionalProperties: false, $defs }
    const rewritten = schemaForClaude(schema)
    const before = reads()
    expect(schemaForClaude(schema)).toBe(rewritten)
    expect(reads()).toBe(before)
  })

  it('rules that Anthropic rejects are moved to the description of their value', () => {
    const schema = {
      type: 'object',
      additionalProperties: false,
      properties: {
        score: { type: 'integer', minimum: 1, maximum: 10, description: 'The score.' },
        tags: { type: 'array', items: text, minItems: 2, maxItems: 5 },
        day: { type: 'string', format: 'date' },
        site: { type: 'string', format: 'iri' },
        code: { type: 'string', pattern: '^[A-Z]+$' },
        odd: { type: 'string', pattern: String.raw`(?=a)\bb` },
        // The names of properties are not keywords.
        minimum: { type: 'array', items: text, minItems: 1 },
      },
    }
    expect(schemaForClaude(schema)).toEqual({
      isChanged: true,
      isAccepted: false,
      schema: {
        ...schema,
        properties: {
          score: { type: 'integer', description: 'The score.\n\n{"minimum":1,"maximum":10}' },
          tags: { type: 'array', items: text, description: '{"minItems":2,"maxItems":5}' },
          day: schema.properties.day,
          site: { type: 'string', description: '{"format":"iri"}' },
          code: schema.properties.code,
          odd: { type: 'string', description: String.raw`{"pattern":"(?=a)\\bb"}` },
          minimum: schema.properties.minimum,
        },
      },
    })
  })

  it('an object that lists properties and allows others is closed, and the change is reported', () => {
    const schema = { type: 'object', properties: { a: text }, additionalProperties: true }
    expect(schemaForClaude(schema)).toEqual({
      isChanged: true,
      isAccepted: false,
      schema: { ...schema, additionalProperties: false },
    })
  })

  it('a schema that Anthropic accepts is not changed', () => {
    const schema = {
      additionalProperties: false,
      properties: { a: { anyOf: [text, { type: 'null' }] } },
      type: 'object',
    }
    expect(schemaForClaude(schema)).toEqual({ schema, isChanged: false, isAccepted: true })
  })

  it.each<[string, JsonObject]>([
    ['an object with any properties', { type: 'object' }],
    ['a map', { type: 'object', additionalProperties: text }],
    ['a nested map', { type: 'object', properties: { a: { type: 'object', additionalProperties: text } } }],
    ['a schema that refers to itself', { type: 'object', properties: { a: { $ref: '#' } } }],
    [
      'a definition that refers to itself',
      {
        $ref: '#/$defs/N',
        $defs: { N: { type: 'object', properties: { next: { anyOf: [{ $ref: '#/$defs/N' }, text] } } } },
      },
    ],
    ['a reference to another document', { type: 'array', items: { $ref: 'https://example.com/s.json' } }],
    ['a boolean schema', { type: 'object', properties: { a: true } }],
  ])('%s cannot be expressed', (_what, schema) => {
    expect(schemaForClaude(schema)).toBeNull()
  })
})
