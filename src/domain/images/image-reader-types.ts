export interface Picture {
  readonly widthPx: number
  readonly heightPx: number
  /** The file, rebuilt from only the image data. */
  readonly bytes: Uint8Array
}

/** The result of an image reader: the image, or a text that describes the fault, such as "it is animated". */
export type FoundImage = Picture | string

/** Maximum length of the longer side, in pixels. */
export const sidePxMax = 2000

export function sizeFault(widthPx: number, heightPx: number): string | null {
  if (widthPx === 0 || heightPx === 0) return 'it has a width or height of 0'
  if (widthPx <= sidePxMax && heightPx <= sidePxMax) return null
  return `it has ${widthPx} x ${heightPx} pixels, and at most ${sidePxMax} per side are allowed`
}

export function isTextAt(bytes: Uint8Array, at: number, text: string): boolean {
  if (at + text.length > bytes.length) return false
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}
