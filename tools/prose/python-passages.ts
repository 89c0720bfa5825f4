/** A string at the beginning of a line counts as a docstring. */
import { commentPassages, type SourceComment } from './comment-passages.ts'
import type { Passage } from './syntax-tree-of-passages.ts'

/**
 * Matches a string with its prefix, or a comment, whichever comes first, so that a `#` in a string does not start a
 * comment.
 */
const token =
  /(?<string>[rbuf]{0,2}(?<quote>"""|'''|"|')(?<text>(?:\\[\s\S]|(?!\k<quote>)[\s\S])*)\k<quote>)|(?<comment>#[^\n]*)/gi
const instruction = /^#\s*(?:type:|pyright:|mypy:|noqa|ruff:|fmt:|!)/

export function pythonPassages(source: string): Passage[] {
  const comments: SourceComment[] = []
  for (const { 0: whole, index: start, groups } of source.matchAll(token)) {
    const end = start + whole.length
    if (groups?.['comment'] !== undefined) {
      if (!instruction.test(whole)) {
        comments.push({ isBlock: false, start, end, contentStart: start + 1, contentEnd: end })
      }
    } else if (groups?.['quote']?.length === 3 && /^[ \t]*$/.test(lineBefore(source, start))) {
      const contentEnd = end - 3
      const contentStart = contentEnd - (groups['text'] ?? '').length
      const indent = lineBefore(source, start).length
      comments.push({ isBlock: true, start, end, contentStart, contentEnd, indent })
    }
  }
  return commentPassages(source, comments)
}

function lineBefore(source: string, offset: number): string {
  return source.slice(source.lastIndexOf('\n', offset - 1) + 1, offset)
}
