import { expect, it } from 'vitest'
import { slugFault, slugOfName } from './application-slugs.ts'

it('a slug is derived from a name', () => {
  expect(slugOfName('Ápp Nº 2 of mine')).toBe('app-no-2-of-mine')
  expect(slugOfName('--- 漢字 ---')).toBe('')
  expect(slugOfName(`${'a'.repeat(39)} b`)).toBe('a'.repeat(39))
})

it('slugs that are too short, too long or contain invalid characters are reported', () => {
  expect(slugFault('ab')).toBeUndefined()
  expect(slugFault('a'.repeat(40))).toBeUndefined()
  for (const slug of ['', 'a', 'a'.repeat(41), '-ab', 'ab-', 'Ab', 'a b']) {
    expect(slugFault(slug), slug).toBeDefined()
  }
})
