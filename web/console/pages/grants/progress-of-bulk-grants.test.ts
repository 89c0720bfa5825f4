import { expect, test } from 'vitest'
import { contentOf, isOutdated, noProgress, withResult } from './progress-of-bulk-grants.ts'

const scope = { app: 'acme', mode: 'test' }
const lines = [{ idempotencyKey: 'bulk-1' }]

test('a check that ends after its lines were changed does not mark the new lines as checked', () => {
  const [before, after] = [contentOf(lines, scope), contentOf([{ idempotencyKey: 'bulk-2' }], scope)]
  const checking = withResult(noProgress(before), before, { phase: 'checking' })
  expect(withResult(checking, before, { phase: 'checked' }).phase).toBe('checked')
  expect(isOutdated(checking, after)).toBe(true)
  expect(withResult(noProgress(after), before, { phase: 'checked' })).toEqual(noProgress(after))
})

test('checked lines must be checked again in another application or mode', () => {
  const content = contentOf(lines, scope)
  const checked = withResult(noProgress(content), content, { phase: 'checked' })
  expect(isOutdated(checked, content)).toBe(false)
  expect(isOutdated(checked, contentOf(lines, { ...scope, mode: 'live' }))).toBe(true)
  expect(isOutdated(checked, contentOf(lines, { ...scope, app: 'other' }))).toBe(true)
})

test('grants in progress keep their progress, and a change of the mode takes effect when they are done', () => {
  const content = contentOf(lines, scope)
  const live = contentOf(lines, { ...scope, mode: 'live' })
  const granting = withResult(noProgress(content), content, { phase: 'granting' })
  expect(isOutdated(granting, live)).toBe(false)
  expect(isOutdated(withResult(granting, content, { phase: 'done' }), live)).toBe(true)
})
