const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** East Asian wide and fullwidth characters, and emoji, take two columns (Unicode Standard Annex 11). */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
const zero = /^[\p{Mn}\p{Me}\p{Cf}]+$/u

export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text))
    width += zero.test(segment) ? 0 : wide.test(segment) ? 2 : 1
  return width
}

export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let kept = ''
  let width = 1
  for (const { segment } of graphemes.segment(text)) {
    const next = width + widthOf(segment)
    if (next > columns) break
    kept += segment
    width = next
  }
  return `${kept}…`
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)))
}

export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - widthOf(text))) + text
}

/**
 * Removes characters that would move the cursor, change colors, or change the text direction. Use this for text that
 * other users wrote, such as the name of a key.
 */
export function harmless(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the pattern matches control characters to remove them
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
}

/** A word that is longer than a line gets a line of its own. */
export function wrapped(said: string, width: number): string[] {
  const lines: string[] = ['']
  for (const word of said.split(' ')) {
    const last = lines.at(-1) ?? ''
    const joined = last === '' ? word : `${last} ${word}`
    if (widthOf(joined) <= width || last === '') lines[lines.length - 1] = joined
    else lines.push(word)
  }
  return lines
}
