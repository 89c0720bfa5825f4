/** Finds the passages in comments. Lines are joined into paragraphs without the comment markers. */
import type { Passage, Piece } from './text-tree.ts'

/** A comment in any language. The offsets of its content exclude the delimiters. */
export interface SourceComment {
  readonly isBlock: boolean
  readonly start: number
  readonly end: number
  readonly contentStart: number
  readonly contentEnd: number
  /** Number of columns by which its lines are indented. By default, lines begin with an asterisk. */
  readonly indent?: number
}

interface Line extends Piece {
  readonly text: string
}

/** Matches instructions to tools, which are not sentences. */
const directive =
  /^\s*(?:[#@/]|oxlint-|eslint-|prettier-|oxfmt-|v8 |c8 |istanbul |knip|global |region|endregion|generated|<reference)/i
/**
 * Matches the start of a new paragraph: an item of a list, a tag of a doc comment, or a word in a column with its
 * meaning.
 */
const item = /^(?:[-*•]\s|\d+[.)]\s|@\w|\S+(?: \S+)?\s{2,}\S)/
/**
 * The tag is not part of the sentence. If a rule forbids a word that is the name of a parameter, the name is not part
 * of the sentence, either.
 */
const tag =
  /^(?:@param\s+(?:what|who|which|gone)\b|@\w+(?:\s+\{[^}]*\})?(?:\s+\[?[\w.]+\]?\s+-)?|\S+(?: \S+)?(?=\s{2,}))\s*/

export function commentPassages(source: string, comments: readonly SourceComment[]): Passage[] {
  const passages: Passage[] = []
  let block: Line[] = []
  let last: SourceComment | null = null
  const close = () => {
    passages.push(...paragraphs(block))
    block = []
  }
  for (const comment of comments) {
    if (last === null || !continues(source, last, comment)) close()
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
    // The line break between two lines is replaced by a space.
    const isLast = isBlock && to === contentEnd
    lines.push({ from: Math.min(start, to), to: isLast ? to : to + 1, text: source.slice(start, to) })
    from = to + 1
  }
  return lines
}

/** A paragraph ends at an empty line, a list item, or an indented or fenced block of code. */
function paragraphs(lines: readonly Line[]): Passage[] {
  const found: Piece[][] = [[]]
  let isFenced = false
  for (const { from, to, text } of lines) {
    const trimmed = text.trim()
    if (trimmed.startsWith('```')) isFenced = !isFenced
    const isCode = isFenced || trimmed.startsWith('```') || /^\s{4,}\S/.test(text)
    if (trimmed === '' || isCode) {
      found.push([])
      continue
    }
    const start = from + text.length - text.trimStart().length
    if (item.test(trimmed)) found.push([])
    const marker = item.test(trimmed) ? (trimmed.match(/^(?:[-*•]|\d+[.)])\s+/) ?? trimmed.match(tag)) : null
    found.at(-1)?.push({ from: start + (marker?.[0].length ?? 0), to })
  }
  return found.filter((passage) => passage.length > 0)
}
