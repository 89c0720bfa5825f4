import { expect, test } from 'vitest'
import { instanceOf } from './generate-value-for-schema.ts'

test.each<[object, unknown]>([
  [{}, null],
  [{ type: 'string' }, 'text'],
  [{ type: 'string', minLength: 6 }, 'textxx'],
  [{ type: 'string', format: 'date' }, '2026-01-31'],
  [{ type: 'string', format: 'constructor' }, 'text'],
  [{ type: 'STRING', enum: ['a', 'b'] }, 'a'],
  [{ const: null }, null],
  [{ type: 'integer', minimum: 3 }, 3],
  [{ type: 'number' }, 0],
  [{ type: 'boolean' }, false],
  [{ type: ['null', 'string'] }, null],
  [{ type: 'boolean', default: true }, true],
  [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, 0],
  [{ type: 'array', items: { type: 'string' } }, []],
  [{ type: 'array', items: { type: 'string' }, minItems: 2 }, ['text', 'text']],
  [{ type: 'object', properties: { a: { type: 'string' }, b: {} }, required: ['a'] }, { a: 'text' }],
  [
    { properties: { a: { type: 'integer' } }, required: ['a', 'unknown'] },
    { a: 0, unknown: null },
  ],
  [{ $ref: '#/$defs/A', $defs: { A: { type: 'boolean' } } }, false],
  [{ $ref: '#/nowhere' }, null],
])('the generated value for the schema %j is %j', (schema, instance) => {
  expect(instanceOf({ ...schema })).toEqual(instance)
})

test('the generated value is small, even for a schema that requires a lot of data', () => {
  const items = { type: 'array', minItems: 100, items: { $ref: '#' } }
  expect(JSON.stringify(instanceOf({ ...items })).length).toBeLessThan(100_000)
  const properties = Object.fromEntries('abcdefghij'.split('').map((name) => [name, { $ref: '#' }]))
  const tree = { type: 'object', properties, required: Object.keys(properties) }
  expect(JSON.stringify(instanceOf(tree)).length).toBeLessThan(100_000)
})

test('a value is generated even for a schema that refers to itself', () => {
  const schema = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] }
  expect(JSON.stringify(instanceOf({ ...schema, $ref: undefined }))).toMatch(/^(\{"next":)+null\}+$/)
  expect(instanceOf({ $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' })).toBeNull()
})
