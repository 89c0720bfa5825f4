import type { Brand } from '#domain/portal-brand.ts'
import type { Application } from '#domain/application-record.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { brandColors } from '#operations/brand/shared/readable-brand-colors.ts'
import { publicBrand } from '#operations/brand/shared/brand-view.ts'

export const brandPaths = { style: '/brand.css', icon: '/favicon.ico' } as const

/**
 * Names never become HTML: the document escapes them, and the pages render them as text (docs/reference/threats.md
 * "Names that contain markup"). A `meta` element contains the brand data that the pages need before sign-in, as JSON of
 * `PortalBrand`.
 */
export function portalDocument(built: string, application: Application, brand: Brand): string {
  const shown = publicBrand(brand, application)
  const head = [
    ...brandHead(shown, brand),
    `<meta name="brand" content="${escaped(JSON.stringify(shown))}" />`,
  ]
  const [before, after, ...others] = built
    .replace(/<link rel="icon"[^>]*>/, '')
    .split(/<title>[^<]*<\/title>/)
  if (before === undefined || after === undefined || others.length > 0) {
    throw new Error("the portal's document does not have one title")
  }
  return before + head.join('\n    ') + after
}

/** The part of the head that all HTML documents of a portal share: title, colors and icon. */
export function brandHead(
  { logo, productName }: ReturnType<typeof publicBrand>,
  brand: Brand,
): readonly string[] {
  const version = sha256(brandStyle(brand)).slice(0, 16)
  const icon = logo ? logo.path : `${brandPaths.icon}?v=${version}`
  return [
    `<title>${escaped(productName)}</title>`,
    `<link rel="stylesheet" href="${brandPaths.style}?v=${version}" />`,
    `<link rel="icon" href="${icon}" />`,
  ]
}

/**
 * Returns a stylesheet with the colors of a brand as custom properties, so that the document needs no inline style.
 * `--brand` is for the background of controls, `--brand-ink` for text on controls, and `--brand-text` for other text
 * and links. For any brand color, each of these colors has sufficient contrast on every background of its theme.
 */
export function brandStyle({ primaryColor }: Brand): string {
  const { dark, light } = brandColors(strictColor(primaryColor))
  return `:root{${(['fill', 'ink', 'text'] as const)
    .map((part) => `${properties[part]}:light-dark(${light[part]},${dark[part]})`)
    .join(';')}}\n`
}

const properties = { fill: '--brand', ink: '--brand-ink', text: '--brand-text' } as const

export function brandIcon({ primaryColor }: Brand): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${strictColor(primaryColor)}"/></svg>\n`
}

/**
 * Only text in the form of a color may be inserted into a stylesheet or a picture (docs/reference/threats.md "Images
 * that customers upload").
 */
function strictColor(color: string): string {
  if (!/^#[0-9a-f]{6}$/.test(color)) throw new Error('a stored colour is not #rrggbb')
  return color
}

export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
