/** Lines of a comment are joined into paragraphs without the comment markers. */
import type { Passage, Piece } from './syntax-tree-of-passages.ts'

/** The offsets of its content exclude the delimiters. */
export interface SourceComment {
  readonly isBlock: boolean
  readonly start: number
  readonly end: number
  readonly contentStart: number
  readonly contentEnd: number
  /** Number of columns by which the comment's lines are indented. By default, lines begin with an asterisk. */
  readonly indent?: number
}

interface Line extends Piece {
  readonly text: string
}

/** Matches instructions to tools, which are not sentences. */
const directive =
  /^\s*(?:[#@/]|oxlint-|eslint-|prettier-|oxfmt-|v8 |c8 |istanbul |knip|global |region|endregion|generated|<reference)/i
/**
 * A new paragraph starts with an item of a list, a tag of a doc comment, or a term in a column before its explanation.
 */
const item = /^(?:[-*•]\s|\d+[.)]\s|@\w|\S+(?: \S+)?\s{2,}\S)/
/**
 * Matches a tag at the start of a paragraph, which is not part of the sentence. Includes parameter names such as
 * `what`, because a rule forbids these words in sentences.
 */
const tag =
  /^(?:@param\s+(?:what|who|which|gone)\b|@\w+(?:\s+\{[^}]*\})?(?:\s+\[?[\w.]+\]?\s+-)?|\S+(?: \S+)?(?=\s{2,}))\s*/

export function commentPassages(source: string, comments: readonly SourceComment[]): Passage[] {
  const passages: Passage[] = []
  let block: Line[] = []
  let last: SourceComment | null = null
  let first: SourceComment | null = null
  const close = () => {
    if (first && last) passages.push(...paragraphs(block, codeNextTo(source, first, last)))
    block = []
  }
  for (const comment of comments) {
    if (last === null || !continues(source, last, comment)) {
      close()
      first = comment
    }
    last = comment
    if (directive.test(source.slice(comment.contentStart, comment.contentEnd).replace(/^\*+/, ''))) continue
    block.push(...linesOf(source, comment))
  }
  close()
  return passages
}

/** Consecutive line comments form one text, if each is alone on its line. */
function continues(source: string, last: SourceComment, next: SourceComment): boolean {
  if (last.isBlock || next.isBlock) return false
  if (!/^\r?\n[ \t]*$/.test(source.slice(last.end, next.start))) return false
  return /^[ \t]*$/.test(source.slice(source.lastIndexOf('\n', last.start) + 1, last.start))
}

function linesOf(source: string, { isBlock, contentStart, contentEnd, indent }: SourceComment): Line[] {
  const lines: Line[] = []
  for (let from = contentStart; from <= contentEnd;) {
    const newline = source.indexOf('\n', from)
    const to = newline < 0 || newline > contentEnd ? contentEnd : newline
    const marker =
      isBlock && indent === undefined ? /^[ \t]*\*+[ \t]?/ : new RegExp(`^[ \\t]{0,${indent ?? 1}}`)
    const start = from + (source.slice(from, to).match(marker)?.[0].length ?? 0)
    const isLast = isBlock && to === contentEnd
    lines.push({ from: Math.min(start, to), to: isLast ? to : to + 1, text: source.slice(start, to) })
    from = to + 1
  }
  return lines
}

/**
 * Returns the line with code before the comment, or else the next line. A docstring belongs to the line above it. Empty
 * if the comment is about the whole file.
 */
function codeNextTo(source: string, first: SourceComment, last: SourceComment): string {
  const above = source.slice(0, first.start).split('\n')
  const isDocstring = first.isBlock && first.indent !== undefined
  const before = above.at(-1)?.trim() || (isDocstring && above.at(-2)?.trim()) || ''
  if (before !== '' || isDocstring) return before
  const after = source.slice(last.end).match(/^\s*(?<line>.*)/)?.groups?.['line'] ?? ''
  return /^import\b/.test(after) ? '' : after.trim()
}

/** A paragraph ends at an empty line, a list item, or an indented or fenced block of code. */
function paragraphs(lines: readonly Line[], code: string): Passage[] {
  const found: { readonly pieces: Piece[]; readonly label: string; readonly listIntro: string }[] = []
  let isOpen = false
  let intro = ''
  let isFenced = false
  for (const { from, to, text } of lines) {
    const trimmed = text.trim()
    if (trimmed.startsWith('```')) isFenced = !isFenced
    const isCode = isFenced || trimmed.startsWith('```') || /^\s{4,}\S/.test(text)
    if (trimmed === '' || isCode) {
      isOpen = false
      continue
    }
    const start = from + text.length - text.trimStart().length
    const isItem = item.test(trimmed)
    const marker = isItem ? (trimmed.match(/^(?:[-*•]|\d+[.)])\s+/) ?? trimmed.match(tag))?.[0] : undefined
    const label = marker?.trim() ?? ''
    if (isItem || !isOpen) {
      found.push({ pieces: [], label, listIntro: isItem && !label.startsWith('@') ? intro : '' })
      if (!isItem) intro = ''
    }
    isOpen = true
    const last = found.at(-1)
    if (last?.label === '' && !isItem) intro = `${intro} ${trimmed}`.trim()
    last?.pieces.push({ from: start + (marker?.length ?? 0), to })
  }
  return found.map(({ pieces, label, listIntro }) => ({
    pieces,
    kind: 'comment',
    context: [code, listIntro].filter((text) => text !== ''),
    label,
  }))
}
