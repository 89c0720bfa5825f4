import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contrastOf } from './text-contrast-on-color.ts'

describe('the contrast of a color', () => {
  it('the contrast of a color is computed as WCAG defines it', () => {
    expect(contrastOf('#ffffff')).toMatchObject({ white: 1, black: 21, textColor: '#000000' })
    expect(contrastOf('#000000')).toMatchObject({ white: 21, black: 1, textColor: '#ffffff' })
    expect(contrastOf('#767676').white).toBe(4.54)
    expect(contrastOf('#777777').white).toBe(4.47)
    expect(contrastOf('#ff0000').white).toBe(3.99)
  })

  it('a color with a contrast below 4.5:1 to white has a warning that states the ratio', () => {
    expect(contrastOf('#777777').warning).toContain('the contrast is 4.47:1, and text needs 4.5:1')
    expect(contrastOf('#767676').warning).toBeNull()
    expect(contrastOf('#1f2937').warning).toBeNull()
  })

  it('the text color is black or white, whichever is more readable on the color', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (rgb) => {
        const { black, textColor, white } = contrastOf(`#${rgb.toString(16).padStart(6, '0')}`)
        const best = textColor === '#ffffff' ? white : black
        expect(best).toBeGreaterThanOrEqual(4.5)
        expect(best + 0.03).toBeGreaterThanOrEqual(Math.max(white, black))
        expect(white * black).toBeCloseTo(21, 0)
      }),
    )
  })
})
