/** The passages of comments: lines without their markers, joined into paragraphs. */
import type { Comment } from 'oxc-parser'
import type { Passage, Piece } from './text-tree.ts'

interface Line extends Piece {
  readonly text: string
}

/** Instructions to a tool, which no reader reads as a sentence. */
const directive =
  /^\s*(?:[#@/]|oxlint-|eslint-|prettier-|oxfmt-|v8 |c8 |istanbul |knip|global |region|endregion|generated|<reference)/i
/** Starts a paragraph of its own: an item of a list, a tag of a doc comment. */
const item = /^(?:[-*•]\s|\d+[.)]\s|@\w)/
const tag = /^@\w+(?:\s+\{[^}]*\})?(?:\s+\[?[\w.]+\]?\s+-)?\s*/

export function commentPassages(source: string, comments: readonly Comment[]): Passage[] {
  const passages: Passage[] = []
  let block: Line[] = []
  let last: Comment | null = null
  const close = () => {
    passages.push(...paragraphs(block))
    block = []
  }
  for (const comment of comments) {
    if (last === null || !continues(source, last, comment)) close()
    last = comment
    if (comment.type === 'Line' && directive.test(comment.value)) continue
    if (comment.type === 'Block' && directive.test(comment.value.replace(/^\*+/, ''))) continue
    block.push(...linesOf(source, comment))
  }
  close()
  return passages
}

/** Line comments below one another are one text, if each has its line for itself. */
function continues(source: string, last: Comment, next: Comment): boolean {
  if (last.type !== 'Line' || next.type !== 'Line') return false
  if (!/^\r?\n[ \t]*$/.test(source.slice(last.end, next.start))) return false
  return /^[ \t]*$/.test(source.slice(source.lastIndexOf('\n', last.start) + 1, last.start))
}

function linesOf(source: string, comment: Comment): Line[] {
  const lines: Line[] = []
  const end = comment.type === 'Block' ? comment.end - 2 : comment.end
  for (let from = comment.start + 2; from <= end;) {
    const newline = source.indexOf('\n', from)
    const to = newline < 0 || newline > end ? end : newline
    const marker = comment.type === 'Block' ? /^[ \t]*\*+[ \t]?/ : /^[ \t]?/
    const start = from + (source.slice(from, to).match(marker)?.[0].length ?? 0)
    lines.push({ from: Math.min(start, to), to, text: source.slice(start, to) })
    from = to + 1
  }
  return lines
}

/** An empty line, a list item, an indented or fenced block of code ends a paragraph. */
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
    const marker = trimmed.match(tag) ?? trimmed.match(/^(?:[-*•]|\d+[.)])\s+/)
    // The line break between two lines becomes the space between two words.
    found.at(-1)?.push({ from: start + (marker?.[0].length ?? 0), to: to + 1 })
  }
  return found.filter((passage) => passage.length > 0)
}
