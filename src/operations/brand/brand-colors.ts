/** The colours that the portal makes of the one of a brand: each is read, whatever was chosen. */
import { contrastOf, standingOut } from './contrast.ts'

/** The surfaces of web/ui/tokens.css that are hardest to stand out from. */
const surfaces = { light: '#ecece9', dark: '#222428' } as const
/** WCAG 2.2, 1.4.3 and 1.4.11. */
const ratios = { text: 4.5, control: 3 } as const

export interface BrandColors {
  /** Of buttons and switches. */
  readonly fill: string
  /** What is read on them. */
  readonly ink: string
  /** Of text and links. */
  readonly text: string
}

/** @param color `#rrggbb` */
export function brandColors(color: string): { readonly light: BrandColors; readonly dark: BrandColors } {
  const on = (surface: string): BrandColors => {
    const fill = standingOut(color, surface, ratios.control)
    return { fill, ink: contrastOf(fill).textColor, text: standingOut(color, surface, ratios.text) }
  }
  return { light: on(surfaces.light), dark: on(surfaces.dark) }
}
