import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { sameHostPath } from './same-host-path.ts'

describe('threat 104: a path of this host', () => {
  it.each([
    '/',
    '/usage',
    '/usage?range=30d&by=model',
    '/requests?range=1h&user=a%2Fb#top',
    '/requests?app=a&mode=test#x',
    '/keys#new',
    '/a/b/c',
    '/a/b//c',
    '/caf%C3%A9',
    '/@me',
    '/a:b',
  ])('the text %j is accepted as a path of this host', (path) => {
    expect(sameHostPath(path)).toBe(path)
  })

  it('the returned path is the path that a browser would request', () => {
    expect(sameHostPath('/a/../usage')).toBe('/usage')
  })

  it.each([
    null,
    undefined,
    '',
    'usage',
    ' /usage',
    '/a b',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/\u0000',
    'https:evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    '//evil.example/%2e%2e',
    '/%2f%2fevil.example',
    '/%2Fevil.example',
    '/%5cevil.example',
    '/%252f%252fevil.example',
    '/a/..%2f%2fevil.example',
    '/..//evil.example',
    '/.//evil.example',
    '/%2e//evil.example',
    '/a/..//evil.example',
    '/%09/evil.example',
    '/usage?a=%0d%0aset-cookie:x',
    '/%',
    '/%zz',
    '/"><script>',
    '/é',
  ])('the text %j is not accepted as a path of this host', (path) => {
    expect(sameHostPath(path)).toBe(null)
  })

  it('a URL parser finds no other host in an accepted path, even if the path is decoded once more', () => {
    const pieces = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '%2f',
      '%5c',
      '%2e',
      '%25',
      '@',
      ':',
      '?',
      '#',
      'evil.example',
      'https:',
      '\t',
      'a',
    )
    const host = 'https://acme.portal.example'
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 10 }), (parts) => {
        const path = sameHostPath(`/${parts.join('')}`)
        if (path === null) return
        expect(sameHostPath(path)).toBe(path)
        for (const read of [path, decodeURIComponent(path), new URL(path, host).pathname])
          expect(new URL(read, host).origin).toBe(host)
      }),
      sampledRuns(20_000),
    )
  })
})
