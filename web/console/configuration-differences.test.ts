import { expect, it } from 'vitest'
import { differencesOf } from './configuration-differences.ts'

it('every changed field is listed, including nested fields, and no other field', () => {
  const before = { name: 'a', price: { input: '1', output: '2' }, tags: ['x'], gone: true, same: null }
  const after = { name: 'a', price: { input: '3', output: '2' }, tags: ['x', 'y'], same: null, added: {} }
  expect(differencesOf(before, after)).toEqual([
    { path: 'price.input', before: '"1"', after: '"3"' },
    { path: 'gone', before: 'true', after: null },
    { path: 'tags.1', before: null, after: '"y"' },
    { path: 'added', before: null, after: '{}' },
  ])
})

it('all fields of a created or deleted value are listed', () => {
  expect(differencesOf(null, { a: 1 })).toEqual([{ path: 'a', before: null, after: '1' }])
  expect(differencesOf({ a: 1 }, null)).toEqual([{ path: 'a', before: '1', after: null }])
  expect(differencesOf(null, null)).toEqual([])
  expect(differencesOf(1, 2)).toEqual([{ path: 'value', before: '1', after: '2' }])
})
