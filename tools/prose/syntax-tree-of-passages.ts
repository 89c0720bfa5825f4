/** The syntax tree that textlint's rules read, for text that is not Markdown: one paragraph per passage. */
import { ASTNodeTypes, type TxtDocumentNode, type TxtParagraphNode } from '@textlint/ast-node-types'

/** A range of the source. In a sentence, code is replaced by a neutral word. */
export interface Piece {
  readonly from: number
  readonly to: number
  readonly isCode?: boolean
}

export interface Passage {
  readonly pieces: readonly Piece[]
  readonly kind: 'comment' | 'title' | 'shown text'
  /**
   * Texts that a reader sees above this passage, outermost first. For a comment, the declaration to which the comment
   * belongs.
   */
  readonly context: readonly string[]
  /** A mark before the first word that is not part of a sentence, such as `@returns` or `-`. */
  readonly label?: string
}

export function textTree(text: string, passages: readonly Pick<Passage, 'pieces'>[]): TxtDocumentNode {
  const positionOf = positions(text)
  const placed = (from: number, to: number) => ({
    raw: text.slice(from, to),
    range: [from, to] as const,
    loc: { start: positionOf(from), end: positionOf(to) },
  })
  const children = passages.map(({ pieces }): TxtParagraphNode => {
    const from = Math.min(...pieces.map((piece) => piece.from))
    const to = Math.max(...pieces.map((piece) => piece.to))
    return {
      type: ASTNodeTypes.Paragraph,
      ...placed(from, to),
      children: pieces.map((piece) => ({
        type: piece.isCode === true ? ASTNodeTypes.Code : ASTNodeTypes.Str,
        ...placed(piece.from, piece.to),
        value: text.slice(piece.from, piece.to),
      })),
    }
  })
  return { type: ASTNodeTypes.Document, ...placed(0, text.length), children }
}

export function linePassages(text: string): Pick<Passage, 'pieces'>[] {
  return [...text.matchAll(/.+/g)].map(({ 0: line, index }) => ({
    pieces: [{ from: index, to: index + line.length }],
  }))
}

function positions(text: string): (offset: number) => { line: number; column: number } {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) }
  }
}
