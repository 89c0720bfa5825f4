import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { handoffOf, invoicePath, pageNames, pathOf, placeOf, receiptPath } from './pages-of-url-paths.ts'

describe('the page of a URL path', () => {
  it('each known path opens its page', () => {
    for (const page of pageNames) expect(placeOf(pathOf(page))).toEqual({ page })
    expect(placeOf('/usage/')).toEqual({ page: 'usage' })
  })

  it('a receipt or an invoice is found by its ID, whatever characters the ID contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (id) => {
        expect(placeOf(receiptPath(id))).toEqual({ page: 'receipt', id })
        expect(placeOf(invoicePath(id))).toEqual({ page: 'invoice', id })
      }),
    )
  })

  it('every other path opens no page', () => {
    for (const path of ['/home', '/nothing', '/usage/a', '/activity/a/b', '/activity/%', '/Usage']) {
      expect(placeOf(path), path).toEqual({ page: 'none' })
    }
  })
})

it('the token of a sign-in link is read only if the URL fragment contains nothing else', () => {
  expect(handoffOf('#handoff=ph_a-b_c')).toBe('ph_a-b_c')
  for (const hash of ['', '#', '#handoff=', '#handoff=a b', '#x&handoff=ph_a', 'handoff=ph_a']) {
    expect(handoffOf(hash), hash).toBe(null)
  }
})
