import { expect, it } from 'vitest'
import { documentOf, summaryOf } from './document.ts'

it('takes an object, and says in words why anything else is none', () => {
  expect(documentOf('{"format":1}')).toEqual({ format: 1 })
  expect(documentOf('  ')).toBe('Paste the document, or choose a file.')
  expect(documentOf('[1]')).toContain('no object')
  expect(documentOf('null')).toContain('no object')
  expect(documentOf('{')).toContain('It is not JSON')
})

it('counts what a document does', () => {
  const changes = (...actions: string[]) => actions.map((action) => ({ action }))
  expect(summaryOf([])).toContain('Nothing differs')
  expect(summaryOf(changes('create', 'create', 'update', 'remove', 'none'))).toBe(
    '2 made, 1 changed, 1 removed, 1 stays that the document does not have',
  )
})
