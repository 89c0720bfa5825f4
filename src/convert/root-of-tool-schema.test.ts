import { describe, expect, it, vi } from 'vitest'
import { layeredDefinitions } from '#tests/fixtures/layered-schema-definitions.ts'
import { hasRootUnion, withProperties, withoutRootUnion } from './root-of-tool-schema.ts'

const text = { type: 'string' }
const count = { type: 'integer' }

describe('withoutRootUnion', () => {
  it.each(['anyOf', 'oneOf'])('the alternatives of %s become one object', (union) => {
    const schema = {
      $defs: {
        B: { type: 'object', properties: { kind: { const: 'b' }, n: count }, required: ['kind', 'n'] },
      },
      description: 'd',
      [union]: [
        { type: 'object', properties: { kind: { const: 'a' }, t: text }, required: ['kind'] },
        { $ref: '#/$defs/B' },
        { type: 'null' },
      ],
    }
    expect(hasRootUnion(schema)).toBe(true)
    const flat = withoutRootUnion(schema)
    expect(flat).toEqual({
      $defs: schema.$defs,
      description: 'd',
      type: 'object',
      properties: { kind: { anyOf: [{ const: 'a' }, { const: 'b' }] }, t: text, n: count },
      required: ['kind'],
    })
    expect(hasRootUnion(flat)).toBe(false)
  })

  it('an alternative that only requires a property adds no requirement', () => {
    const object = { type: 'object', properties: { a: text, b: text }, required: ['a'] }
    expect(withoutRootUnion({ ...object, anyOf: [{ required: ['a'] }, { required: ['b'] }] })).toEqual(object)
  })

  it('with `allOf`, the requirements of all parts apply', () => {
    const schema = {
      allOf: [
        { properties: { a: text }, required: ['a'] },
        { properties: { a: text, b: count }, required: ['b'] },
      ],
    }
    expect(withoutRootUnion(schema)).toEqual({
      type: 'object',
      properties: { a: text, b: count },
      required: ['a', 'b'],
    })
  })

  it('a schema that refers to itself ends', () => {
    const schema = { $ref: '#/$defs/A', $defs: { A: { anyOf: [{ $ref: '#/$defs/A' }] } } }
    expect(withoutRootUnion(schema)).toMatchObject({ type: 'object', properties: {} })
  })

  it('each definition is merged once, however many alternatives refer to it', () => {
    const { $defs, first, reads } = layeredDefinitions({ type: 'object', properties: { a: text } })
    expect(withoutRootUnion({ anyOf: [first], $defs }).properties).toEqual({ a: text })
    expect(reads()).toBeLessThan(1_000)
  })

  it('the work grows with the size of the schema, although all alternatives have the same property', () => {
    const print = vi.spyOn(JSON, 'stringify')
    const anyOf = Array.from({ length: 500 }, (_, i) => ({ properties: { kind: { const: i } } }))
    const { properties } = withoutRootUnion({ anyOf })
    const prints = print.mock.calls.length
    print.mockRestore()
    expect(properties).toEqual({ kind: { anyOf: anyOf.map((one) => one.properties.kind) } })
    expect(prints).toBeLessThan(1_000)
  })

  it('a schema with too many alternatives keeps the first of them', () => {
    const names = Array.from({ length: 1_000 }, (_, i) => `p${i}`)
    const part = { properties: Object.fromEntries(names.map((name) => [name, text])) }
    const anyOf = Array.from({ length: 1_000 }, (_, i) => ({
      allOf: [part, { properties: { [`q${i}`]: text } }],
    }))
    const found = Object.keys(Object(withoutRootUnion({ anyOf }).properties))
    expect(found).toEqual(expect.arrayContaining([...names, 'q0']))
    expect(found).not.toContain('q999')
  })
})

it('the root of a schema gets a type and properties', () => {
  expect(withProperties(null)).toEqual({ type: 'object', properties: {} })
  expect(withProperties({ type: 'object' })).toEqual({ type: 'object', properties: {} })
  expect(withProperties({ properties: { a: text } })).toEqual({ type: 'object', properties: { a: text } })
})
