import type { Brand } from '#domain/brand.ts'
import type { Application } from '#domain/records.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { brandColors } from '#operations/brand/brand-colors.ts'
import { publicBrand } from '#operations/brand/brand-view.ts'

/** Paths of what a brand is made into, on the host of its portal. */
export const brandPaths = { style: '/brand.css', icon: '/favicon.ico' } as const

/**
 * The portal's document for one application. A name is text, whatever it holds: it is escaped where the document says
 * it, and the pages say it again as text (docs/reference/threats.md "Names are text"). What the pages need of the
 * brand before anybody is signed in stands in a `meta`, as JSON of `PortalBrand`.
 *
 * @param built as `tools/web` has made it
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

/** What every document of a portal has in its head: title, colours and icon. */
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
 * The colour of a brand as custom properties, so that no style stands in the document: `--brand` fills controls,
 * `--brand-ink` is read on it, and `--brand-text` is for text and links. Each keeps its contrast on every surface of
 * its theme, whatever colour was chosen.
 */
export function brandStyle({ primaryColor }: Brand): string {
  const { dark, light } = brandColors(strictColor(primaryColor))
  return `:root{${(['fill', 'ink', 'text'] as const)
    .map((part) => `${properties[part]}:light-dark(${light[part]},${dark[part]})`)
    .join(';')}}\n`
}

const properties = { fill: '--brand', ink: '--brand-ink', text: '--brand-text' } as const

/** For a brand without a logo: a square of its colour. */
export function brandIcon({ primaryColor }: Brand): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${strictColor(primaryColor)}"/></svg>\n`
}

/** A colour goes into a stylesheet and a picture: nothing else does (docs/reference/threats.md "Pictures of customers"). */
function strictColor(color: string): string {
  if (!/^#[0-9a-f]{6}$/.test(color)) throw new Error('a stored colour is not #rrggbb')
  return color
}

/** Text for a document. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
