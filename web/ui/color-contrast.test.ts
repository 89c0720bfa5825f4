/** Checks the contrast that WCAG 2.2 requires (1.4.3 and 1.4.11), in both themes. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const roles = colorsIn(new URL('tokens.css', import.meta.url))

const surfaces = ['surface', 'surface-2', 'surface-3']
const texts = ['ink', 'ink-2', 'ink-3', 'accent', 'positive', 'held', 'negative', 'test']
/** Foreground, background, and minimum contrast. */
const pairs: readonly (readonly [string, string, number])[] = [
  ...texts.flatMap((text) => surfaces.map((on) => [text, on, 4.5] as const)),
  ...['positive', 'held', 'negative', 'test', 'accent'].flatMap((tone) => [
    [tone, `${tone}-2`, 4.5] as const,
    ['ink', `${tone}-2`, 4.5] as const,
    ['ink-2', `${tone}-2`, 4.5] as const,
  ]),
  ['accent-ink', 'accent', 4.5],
  ['surface', 'ink', 4.5],
  ...['edge', 'series-other', ...Array.from({ length: 7 }, (_, at) => `series-${at + 1}`)].map(
    (mark) => [mark, 'surface', 3] as const,
  ),
]

it.each(['light', 'dark'] as const)(
  'each foreground color has enough contrast to its background in the %s theme',
  (theme) => {
    expect(roles.size).toBeGreaterThan(20)
    const low = pairs.flatMap(([front, back, least]) => {
      const contrast = contrastOf(colourOf(front, theme), colourOf(back, theme))
      return contrast < least ? [`${front} on ${back}: ${contrast.toFixed(2)}, least ${least}`] : []
    })
    expect(low).toEqual([])
  },
)

it("the preview of the portal has the colors of the portal's two themes", () => {
  const preview = colorsIn(new URL('../console/pages/brand/portal-preview.css', import.meta.url))
  expect(preview.size).toBe(5)
  for (const [role, colors] of preview) expect({ role, ...colors }).toEqual({ role, ...roles.get(role) })
})

function colorsIn(file: URL): Map<string, { readonly light: string; readonly dark: string }> {
  const css = readFileSync(file, 'utf8')
  const declarations = css.matchAll(/--color-([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)
  return new Map([...declarations].map(([, name = '', light = '', dark = '']) => [name, { light, dark }]))
}

function colourOf(role: string, theme: 'light' | 'dark'): string {
  const colour = roles.get(role)?.[theme]
  if (colour === undefined) throw new Error(`tokens.css has no role ${role}`)
  return colour
}

function contrastOf(one: string, other: string): number {
  const [light, dark] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a)
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05)
}

function luminanceOf(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
