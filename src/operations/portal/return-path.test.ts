import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isOwnPath } from './return-path.ts'

describe('threat 104: a return path', () => {
  for (const path of [
    '/',
    '/usage',
    '/usage?range=30d&by=model',
    '/keys#new',
    '/a/b/c',
    '/caf%C3%A9',
    '/@me',
    '/a//b',
  ]) {
    it(`accepts ${path}`, () => expect(isOwnPath(path)).toBe(true))
  }

  for (const path of [
    '',
    'usage',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https:evil.example',
    'https://evil.example',
    '//evil.example/%2e%2e',
    '/%2f%2fevil.example',
    '/%2Fevil.example',
    '/%5cevil.example',
    '/%252f%252fevil.example',
    '/..//evil.example',
    '/.//evil.example',
    '/%2e//evil.example',
    '/a/..//evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/%09/evil.example',
    '/\u0000',
    '/a b',
    '/%',
    '/%zz',
    '/"><script>',
    '/é',
    'javascript:alert(1)',
    ' /usage',
  ]) {
    it(`rejects ${JSON.stringify(path)}`, () => expect(isOwnPath(path)).toBe(false))
  }

  it('never resolves to another host, even if it is decoded once more', () => {
    const pieces = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '%2f',
      '%5c',
      '%2e',
      '%25',
      'evil.example',
      ':',
      '@',
      '?',
      '#',
      'a',
      'https:',
      '\t',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const path = `/${parts.join('')}`
        if (!isOwnPath(path)) return
        const base = 'https://acme.portal.example'
        for (const read of [path, decodeURIComponent(path), new URL(path, base).pathname]) {
          expect(new URL(read, base).origin).toBe(base)
        }
      }),
      { numRuns: 20_000 },
    )
  })
})
