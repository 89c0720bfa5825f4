/** The portal's colors, derived so that text is readable with any brand color. */
import { contrastOf, standingOut } from './text-contrast-on-color.ts'

/** The backgrounds in web/ui/tokens.css with which other colors have the least contrast. */
const surfaces = { light: '#ecece9', dark: '#222428' } as const
/** Minimum contrast ratios, from WCAG 2.2, 1.4.3 and 1.4.11. */
const ratios = { text: 4.5, control: 3 } as const

export interface BrandColors {
  readonly fill: string
  readonly ink: string
  readonly text: string
}

export function brandColors(color: string): { readonly light: BrandColors; readonly dark: BrandColors } {
  const on = (surface: string): BrandColors => {
    const fill = standingOut(color, surface, ratios.control)
    return { fill, ink: contrastOf(fill).textColor, text: standingOut(color, surface, ratios.text) }
  }
  return { light: on(surfaces.light), dark: on(surfaces.dark) }
}
