import { describe, expect, it } from 'vitest'
import { isAllowed, matchesAny, matchesPattern, patternFault } from './model-name-pattern.ts'

describe('matchesPattern', () => {
  it.each([
    ['acme/gpt', 'acme/gpt', true],
    ['acme/gpt', 'acme/gpt-2', false],
    ['acme/gpt', 'Acme/gpt', false],
    ['acme/*', 'acme/gpt', true],
    ['acme/*', 'acme/', true],
    ['acme/*', 'acme', false],
    ['acme/*', 'other/acme/gpt', false],
    ['gpt-*', 'gpt-5', true],
    ['*', 'anything/at-all', true],
    ['a.c', 'abc', false],
    ['', '', true],
  ])('%s matches %s: %s', (pattern, name, isMeant) => {
    expect(matchesPattern(pattern, name)).toBe(isMeant)
  })
})

describe('isAllowed', () => {
  it.each([
    ['empty allows nothing', [], [], false],
    ['an allowed name is allowed', ['acme/*'], [], true],
    ['deny beats allow', ['*'], ['acme/gpt'], false],
    ['a denied prefix beats the exact name', ['acme/gpt'], ['acme/*'], false],
    ['the denial of another name has no effect', ['*'], ['acme/other'], true],
    ['not named is not allowed', ['other/*'], [], false],
  ])('%s', (_rule, allow, deny, isIt) => {
    expect(isAllowed('acme/gpt', allow, deny)).toBe(isIt)
  })
})

it('matchesAny returns true if any of the patterns matches', () => {
  expect(matchesAny(['a', 'b'], 'b')).toBe(true)
  expect(matchesAny(['a', 'b'], 'c')).toBe(false)
  expect(matchesAny([], 'c')).toBe(false)
})

describe('patternFault', () => {
  it.each(['*', 'a', 'acme/*', 'acme/gpt-5.1:fast_x', '0', `${'a'.repeat(128)}*`])(
    'the pattern %s is valid',
    (pattern) => {
      expect(patternFault(pattern)).toBeNull()
    },
  )

  it.each([
    ['', 'a pattern is not empty'],
    ['a'.repeat(129), 'a pattern has at most 128 characters'],
    ['a*b', 'a * may only be at the end'],
    ['a**', 'a * may only be at the end'],
    ['*a', 'a * may only be at the end'],
    ['/a', 'a pattern starts with a-z or 0-9'],
    ['Acme/*', 'a pattern starts with a-z or 0-9'],
    ['a b', 'a pattern has only a-z, 0-9 and . _ : / -'],
    ['aé', 'a pattern has only a-z, 0-9 and . _ : / -'],
    ['a\n', 'a pattern has only a-z, 0-9 and . _ : / -'],
  ])('the error in the pattern %s is found', (pattern, fault) => {
    expect(patternFault(pattern)).toBe(fault)
  })
})
