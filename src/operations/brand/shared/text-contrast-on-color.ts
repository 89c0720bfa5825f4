/**
 * The contrast of text on a color, and of a color on pages (WCAG 2.2, "contrast ratio" and success criterion 1.4.3).
 */

/** For text of normal size. */
const readable = 4.5
/** The luminance L at which white and black have the same contrast: (1.05) / (L + 0.05) = (L + 0.05) / 0.05. */
const balancedLuminance = 0.179

export interface Contrast {
  /** Truncated to hundredths, so that 4.499 does not pass as 4.5. */
  readonly white: number
  readonly black: number
  readonly textColor: '#ffffff' | '#000000'
  readonly warning: string | null
}

/**
 * Returns the nearest color with enough contrast to a surface. Mixes the color with black or white, whichever has more
 * contrast to the surface.
 * @param color a color as `#rrggbb`; the surface has the same format
 * @param ratio minimum contrast ratio, which black or white must reach on the surface
 */
export function standingOut(color: string, surface: string, ratio: number): string {
  const end = contrastOf(surface).textColor
  for (let share = 0; share < 1; share += 0.01) {
    const mixed = mix(color, end, share)
    if (ratioOf(mixed, surface) >= ratio) return mixed
  }
  return end
}

export function contrastOf(color: string): Contrast {
  const luminance = luminanceOf(color)
  const white = ratioOf(color, '#ffffff')
  const black = ratioOf(color, '#000000')
  return {
    white,
    black,
    textColor: luminance > balancedLuminance ? '#000000' : '#ffffff',
    warning:
      white < readable
        ? `Links and text in this color are hard to read on a white page: the contrast is ${white}:1, and text needs ${readable}:1.`
        : null,
  }
}

function ratioOf(color: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(color), luminanceOf(other)].toSorted((a, b) => a - b)
  return cut((lighter + 0.05) / (darker + 0.05))
}

function mix(color: string, other: string, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const [from, to] = [color, other].map((one) => Number.parseInt(one.slice(at, at + 2), 16))
    return Math.round((from ?? 0) * (1 - share) + (to ?? 0) * share)
  })
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function cut(ratio: number): number {
  return Math.floor(ratio * 100 + 1e-9) / 100
}
