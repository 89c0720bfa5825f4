import { expect, test } from 'vitest'
import { draftKey, draftText, valuesWithDraft } from './draft-of-form.ts'

const opened = { name: 'Pro', price: '20', isDefault: false }

test('a draft restores the changed fields, and leaves all other fields at their current values', () => {
  const draft = draftText({ ...opened, name: 'Pro plus', isDefault: true }, opened)
  expect(valuesWithDraft(opened, draft)).toEqual({ name: 'Pro plus', price: '20', isDefault: true })
  const current = { name: 'Pro', price: '30', isDefault: false }
  expect(valuesWithDraft(current, draft)).toEqual({ name: 'Pro plus', price: '30', isDefault: true })
})

test('a form without changes has no draft, and a draft that cannot be read is ignored', () => {
  expect(draftText({ ...opened }, opened)).toBeNull()
  expect(valuesWithDraft(opened, null)).toEqual(opened)
  expect(valuesWithDraft(opened, '{"name"')).toEqual(opened)
})

test('forms of two applications or modes never share a draft', () => {
  const keys = ['acme live', 'acme test', 'other live'].map((scope) => draftKey(scope, 'bundle pro'))
  expect(new Set(keys).size).toBe(3)
  expect(draftKey('a', 'b c')).not.toBe(draftKey('a b', 'c'))
})
