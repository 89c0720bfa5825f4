/** The text of the node is joined into one line, and code and URLs are masked. */
import type { TxtNode, TxtParentNode } from '@textlint/ast-node-types'

export interface Sentence {
  readonly text: string
  /** The same sentence, in which each piece of code and each URL is replaced by a neutral word. */
  readonly words: string
  readonly isHeading: boolean
  readonly start: number
}

/** After these abbreviations, a sentence does not end, even if a capital letter follows. */
const abbreviation = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|no|approx)\.\s*$/i
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

export function sentencesOf(node: TxtNode): Sentence[] {
  const pieces: { readonly text: string; readonly mask: string; readonly start: number }[] = []
  collect(node, pieces)
  const written = pieces.map(({ text }) => text).join('')
  const masked = maskCode(pieces.map(({ mask }) => mask).join(''))
  return cut(masked).map(([from, to]) => ({
    text: oneLine(written.slice(from, to)),
    words: oneLine(masked.slice(from, to)),
    isHeading: node.type === 'Header',
    start: sourceOffset(pieces, from),
  }))
}

function collect(node: TxtNode, pieces: { text: string; mask: string; start: number }[]): void {
  const start = node.range[0]
  if (node.type === 'Str') {
    // In `value`, the Markdown parser resolves escapes, which shifts offsets. `raw` keeps them.
    pieces.push({ text: node.raw, mask: node.raw, start })
  } else if (node.type === 'Code') {
    pieces.push({ text: node.raw, mask: neutral(node.raw), start })
  } else if (node.type === 'Break') {
    pieces.push({ text: ' ', mask: ' ', start })
  } else if ('children' in node) {
    for (const child of (node as TxtParentNode).children) collect(child, pieces)
  }
}

/** Replaces code, the addresses of links, and plain URLs by text of the same length, so that offsets stay exact. */
function maskCode(text: string): string {
  return text
    .replace(/(`+)[^`](?:[\s\S]*?[^`])?\1(?!`)/g, neutral)
    .replace(/\{@\w+[^}]*\}/g, neutral)
    .replace(/\]\([^)\s]+\)/g, (address) => ' '.repeat(address.length))
    .replace(/\bhttps?:\/\/[^\s)]*[^\s).,;:'"]/g, neutral)
}

function neutral(text: string): string {
  return 'X'.padEnd(text.length, '_')
}

function cut(text: string): (readonly [from: number, to: number])[] {
  const ranges: [number, number][] = []
  let isOpen = false
  for (const { segment, index } of segmenter.segment(text.replace(/\s/g, ' '))) {
    let at = index
    // The segmenter treats a period before a digit or a lower-case letter as part of an abbreviation.
    for (const part of segment.split(/(?<=[\p{L}\p{N}_)][.!?]\s)(?=[\p{Ll}\p{N}])/u)) {
      const last = ranges.at(-1)
      if (isOpen && last) last[1] = at + part.length
      else ranges.push([at, at + part.length])
      isOpen = abbreviation.test(part)
      at += part.length
    }
  }
  return ranges
    .map(([from, to]) => [from + (text.slice(from, to).match(/^\s*/)?.[0].length ?? 0), to] as const)
    .filter(([from, to]) => /\p{L}/u.test(text.slice(from, to)))
}

function sourceOffset(pieces: readonly { text: string; start: number }[], offset: number): number {
  let before = 0
  for (const { text, start } of pieces) {
    if (offset < before + text.length) return start + offset - before
    before += text.length
  }
  return pieces.at(-1)?.start ?? 0
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
