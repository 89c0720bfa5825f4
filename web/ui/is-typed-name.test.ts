import { expect, it } from 'vitest'
import { isTypedName } from './is-typed-name.ts'

it('a name matches as it is shown and as it is copied, but not in parts', () => {
  expect(isTypedName('night job', 'night job')).toBe(true)
  expect(isTypedName(' night job\n', 'night  job')).toBe(true)
  expect(isTypedName('night', 'night job')).toBe(false)
  expect(isTypedName('nightjob', 'night job')).toBe(false)
  expect(isTypedName('', 'night job')).toBe(false)
})
