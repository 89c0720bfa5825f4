import { describe, expect, it } from 'vitest'
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
})

it('the root of a schema gets a type and properties', () => {
  expect(withProperties(null)).toEqual({ type: 'object', properties: {} })
  expect(withProperties({ type: 'object' })).toEqual({ type: 'object', properties: {} })
  expect(withProperties({ properties: { a: text } })).toEqual({ type: 'object', properties: { a: text } })
})
