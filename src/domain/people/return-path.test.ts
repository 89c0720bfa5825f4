import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { returnPathOf } from './return-path.ts'

describe('threat 104: the page after a sign-in', () => {
  it('is a path of this host with its query', () => {
    for (const path of ['/', '/requests', '/requests?range=1h&user=a%2Fb#top', '/a/b//c', '/@user', '/a:b']) {
      expect(returnPathOf(path)).toBe(path)
    }
  })

  it('is the first page for every other request', () => {
    for (const asked of [
      null,
      '',
      'requests',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      '/\n/evil.example',
      ' //evil.example',
      'https:evil.example',
      'https://evil.example',
      'javascript:alert(1)',
      '/.//evil.example',
      '/a/..//evil.example',
      '/%2f%2fevil.example',
      '/%2F/evil.example',
      '/%5cevil.example',
      '/ä',
      `/${'x'.repeat(600)}`,
    ]) {
      expect([asked, returnPathOf(asked)]).toEqual([asked, '/'])
    }
  })

  it('never leaves the host, whatever path is requested', () => {
    const pieces = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '%2f',
      '%5c',
      '@',
      ':',
      '?',
      '#',
      'evil.example',
      '\t',
      'a',
    )
    const asked = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(asked, (text) => {
        const here = 'https://tollgate.example.com/v1/x'
        for (const path of [returnPathOf(text), returnPathOf(`/${text}`)]) {
          expect(new URL(path, here).origin).toBe('https://tollgate.example.com')
          expect(path.startsWith('//')).toBe(false)
        }
      }),
      { numRuns: 5_000 },
    )
  })
})
