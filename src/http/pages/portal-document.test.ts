import fc from 'fast-check'
import { expect, it } from 'vitest'
import { defaultBrand } from '#domain/portal-brand.ts'
import type { Application } from '#domain/application-record.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { brandIcon, brandStyle, portalDocument } from './portal-document.ts'

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of an application, a document says its name alone
const application = { name: 'Acme' } as Application
const built = '<head><title>Portal</title><link rel="icon" href="/favicon.ico" /></head>'
const hex = fc.stringMatching(/^#[0-9a-f]{6}$/)

it('the colors have sufficient contrast for every brand color, on every background of the theme', () => {
  const surfaces = [
    ['#ffffff', '#f6f6f4', '#ecece9'],
    ['#0f1012', '#18191c', '#222428'],
  ]
  fc.assert(
    fc.property(hex, (primaryColor) => {
      const style = brandStyle({ ...defaultBrand, primaryColor })
      for (const [theme, own] of surfaces.entries()) {
        const of = (name: string): string =>
          new RegExp(`${name}:light-dark\\((#[0-9a-f]{6}),(#[0-9a-f]{6})\\)`).exec(style)?.[theme + 1] ?? ''
        for (const surface of own) {
          expect(ratio(of('--brand-text'), surface)).toBeGreaterThanOrEqual(4.5)
          expect(ratio(of('--brand'), surface)).toBeGreaterThanOrEqual(3)
        }
        expect(ratio(of('--brand-ink'), of('--brand'))).toBeGreaterThanOrEqual(4.5)
      }
    }),
  )
})

it('a color that already has sufficient contrast is kept', () => {
  expect(brandStyle({ ...defaultBrand, primaryColor: '#2563eb' })).toContain(
    '--brand:light-dark(#2563eb,#2563eb)',
  )
})

it('only colors of the form #rrggbb are inserted into a stylesheet or a picture', () => {
  for (const primaryColor of ['red', '#fff', '#ffffff}', '#ffffff\n', 'url(//evil)', '</style>', '#FFFFFF']) {
    expect(() => brandStyle({ ...defaultBrand, primaryColor })).toThrow('#rrggbb')
    expect(() => brandIcon({ ...defaultBrand, primaryColor })).toThrow('#rrggbb')
  }
})

it('names are escaped as text, and the brand is written as JSON that the pages can parse', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, minLength: 1 }), (productName) => {
      const html = portalDocument(built, application, { ...defaultBrand, productName })
      const [, title = '', told = ''] =
        /^<head><title>([^<>]*)<\/title>\s+<link rel="stylesheet" href="\/brand\.css\?v=[0-9a-f]{16}" \/>\s+<link rel="icon" href="\/favicon\.ico\?v=[0-9a-f]{16}" \/>\s+<meta name="brand" content="([^"<>]*)" \/><\/head>$/.exec(
          html,
        ) ?? []
      expect(unescaped(title)).toBe(productName)
      expect(JSON.parse(unescaped(told))).toMatchObject({ productName, logo: null })
    }),
  )
})

it("the title is the application's name if the brand has no name, and the icon is the logo", () => {
  const logo = { hash: 'a'.repeat(64), mediaType: 'image/png', widthPx: 9, heightPx: 9 } as const
  const html = portalDocument(built, application, { ...defaultBrand, logo })
  expect(html).toContain('<title>Acme</title>')
  expect(html).toContain(`<link rel="icon" href="/brand/logo/${logo.hash}" />`)
  expect(() => portalDocument('<head></head>', application, defaultBrand)).toThrow('one title')
})

function unescaped(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}

function ratio(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [one, other].map(luminance).toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** The formula of WCAG 2.2, "relative luminance". */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
