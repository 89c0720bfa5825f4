import { expect, it } from 'vitest'
import { slugFault, slugOfName } from './slug.ts'

it('makes a slug of what can be written in one', () => {
  expect(slugOfName('Ápp Nº 2 of mine')).toBe('app-no-2-of-mine')
  expect(slugOfName('--- 漢字 ---')).toBe('')
  expect(slugOfName(`${'a'.repeat(39)} b`)).toBe('a'.repeat(39))
})

it('says what is none, at both ends', () => {
  expect(slugFault('ab')).toBeUndefined()
  expect(slugFault('a'.repeat(40))).toBeUndefined()
  for (const slug of ['', 'a', 'a'.repeat(41), '-ab', 'ab-', 'Ab', 'a b']) {
    expect(slugFault(slug), slug).toBeDefined()
  }
})
