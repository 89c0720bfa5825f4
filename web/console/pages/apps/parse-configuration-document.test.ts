import { expect, it } from 'vitest'
import { documentOf, summaryOf } from './parse-configuration-document.ts'

it('a document must be an object, and the error explains why other text is rejected', () => {
  expect(documentOf('{"format":1}')).toEqual({ format: 1 })
  expect(documentOf('  ')).toBe('Paste the document, or choose a file.')
  expect(documentOf('[1]')).toContain('must be a JSON object')
  expect(documentOf('null')).toContain('must be a JSON object')
  expect(documentOf('{')).toContain('not valid JSON')
})

it('the changes of a document are counted by kind', () => {
  const changes = (...actions: string[]) => actions.map((action) => ({ action }))
  expect(summaryOf([])).toContain('No changes')
  expect(summaryOf(changes('create', 'create', 'update', 'remove', 'none'))).toBe(
    '2 created, 1 updated, 1 deleted, 1 kept because it is not in the document',
  )
})
