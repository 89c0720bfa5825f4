import { extname } from 'node:path'
import { parseSync, Visitor, type Expression, type JSXElement, type JSXFragment, type Node } from 'oxc-parser'
import { commentPassages } from './comment-passages.ts'
import type { Passage, Piece } from './syntax-tree-of-passages.ts'

export interface CodeFacts {
  /** Whether people read the strings and the text of pages in this file. */
  readonly showsText: boolean
  readonly isTest: boolean
}

/** After these HTML elements, a new sentence begins. */
const blocks = /^(?:p|div|li|ul|ol|td|th|tr|h[1-6]|section|header|footer|dt|dd|label|option|button|pre)$/

export function codePassages(path: string, source: string, { showsText, isTest }: CodeFacts): Passage[] {
  const lang = extname(path) === '.tsx' ? 'tsx' : 'ts'
  const parsed = parseSync(path, source, {
    lang: path.endsWith('.mjs') || path.endsWith('.js') ? 'js' : lang,
  })
  const comments = parsed.comments.map(({ type, start, end }) => ({
    isBlock: type === 'Block',
    start,
    end,
    contentStart: start + 2,
    contentEnd: type === 'Block' ? end - 2 : end,
  }))
  const passages = commentPassages(source, comments)
  const groups: { readonly end: number; readonly title: string }[] = []
  if (isTest)
    new Visitor({ CallExpression: (call) => void passages.push(...titles(call)) }).visit(parsed.program)
  if (showsText && !isTest) passages.push(...shownText(parsed.program, source))
  return passages

  /** The visitor calls this function for a group of tests before it visits the tests in the group. */
  function titles(
    call: Node & { readonly callee: Expression; readonly arguments: readonly Node[] },
  ): Passage[] {
    const [title] = call.arguments
    const name = rootName(call.callee)
    if (!title || !/^(?:test|it|describe|bench)$/.test(name)) return []
    const pieces = stringPieces(title)
    if (!pieces) return []
    const context = groups.filter(({ end }) => end > call.start).map((group) => group.title)
    if (name === 'describe') groups.push({ end: call.end, title: textOf(pieces) })
    return [{ pieces, kind: 'title', context }]
  }

  function textOf(pieces: readonly Piece[]): string {
    return pieces.map(({ from, to }) => source.slice(from, to)).join('')
  }
}

/** The identifier at the beginning of a chain such as `it.each(rows)`. */
function rootName(callee: Node): string {
  if (callee.type === 'Identifier') return callee.name
  if (callee.type === 'MemberExpression') return rootName(callee.object)
  if (callee.type === 'CallExpression') return rootName(callee.callee)
  if (callee.type === 'TaggedTemplateExpression') return rootName(callee.tag)
  return ''
}

/** Accepts a string, a template, or a concatenation of strings and templates. Null for any other expression. */
function stringPieces(node: Node): Piece[] | null {
  if (node.type === 'Literal') {
    return typeof node.value === 'string' ? [{ from: node.start + 1, to: node.end - 1 }] : null
  }
  if (node.type === 'TemplateLiteral') {
    return node.quasis.flatMap((quasi, at) => {
      const value = node.expressions[at]
      // TypeScript's range of a template piece includes the delimiters.
      const from = quasi.end - quasi.start > quasi.value.raw.length ? quasi.start + 1 : quasi.start
      const text = { from, to: from + quasi.value.raw.length }
      return value ? [text, { from: value.start, to: value.end, isCode: true }] : [text]
    })
  }
  if (node.type === 'BinaryExpression' && node.operator === '+') {
    const [left, right] = [stringPieces(node.left), stringPieces(node.right)]
    if (!left && !right) return null
    const code = ({ start, end }: Node): Piece[] => [{ from: start, to: end, isCode: true }]
    return [...(left ?? code(node.left)), ...(right ?? code(node.right))]
  }
  return null
}

function shownText(program: Node & { readonly type: 'Program' }, source: string): Passage[] {
  const passages: Passage[] = []
  const seen = new Set<Node>()
  const add = (node: Node) => {
    if (seen.has(node)) return
    const pieces = stringPieces(node)
    if (!pieces) return
    markSeen(node)
    if (
      isSentence(pieces.map((piece) => (piece.isCode ? 'x' : source.slice(piece.from, piece.to))).join(''))
    ) {
      passages.push({ pieces, kind: 'shown text', context: [] })
    }
  }
  const markSeen = (node: Node) => {
    seen.add(node)
    if (node.type === 'BinaryExpression') for (const part of [node.left, node.right]) markSeen(part)
  }
  const addElement = (element: JSXElement | JSXFragment) => {
    if (
      seen.has(element) ||
      !element.children.some((child) => child.type === 'JSXText' && child.value.trim())
    )
      return
    let pieces: Piece[] = []
    const close = () => {
      if (isSentence(pieces.map(({ from, to }) => source.slice(from, to)).join(''))) {
        passages.push({ pieces, kind: 'shown text', context: [] })
      }
      pieces = []
    }
    const walk = (parent: JSXElement | JSXFragment) => {
      seen.add(parent)
      for (const child of parent.children) {
        if (child.type === 'JSXText') pieces.push({ from: child.start, to: child.end })
        else if (child.type === 'JSXExpressionContainer') {
          const text = stringPieces(child.expression)
          if (text) markSeen(child.expression)
          pieces.push(...(text ?? [{ from: child.start, to: child.end, isCode: true }]))
        } else if (isShownValue(child)) pieces.push({ from: child.start, to: child.end, isCode: true })
        else if (child.type === 'JSXElement' && !isBlock(child)) walk(child)
        else {
          close()
          if (child.type === 'JSXElement' || child.type === 'JSXFragment') walk(child)
          close()
        }
      }
    }
    walk(element)
    close()
  }
  new Visitor({
    JSXAttribute: ({ name, value }) => {
      // The path of an icon is data and not a sentence.
      if (name.type !== 'JSXIdentifier' || name.name !== 'd' || value === null) return
      markSeen(value.type === 'JSXExpressionContainer' ? value.expression : value)
    },
    JSXElement: addElement,
    JSXFragment: addElement,
    BinaryExpression: add,
    TemplateLiteral: add,
    Literal: add,
  }).visit(program)
  return passages
}

/** Whether a component shows a value inside a sentence, such as `<Money micros={due} />`. */
function isShownValue(child: Node): boolean {
  if (child.type !== 'JSXElement' || child.children.length > 0) return false
  const { name } = child.openingElement
  return name.type === 'JSXIdentifier' && /^\p{Lu}/u.test(name.name)
}

function isBlock({ openingElement: { name } }: JSXElement): boolean {
  return name.type === 'JSXIdentifier' && blocks.test(name.name)
}

/** A sentence has three words and begins with a capital letter. */
function isSentence(text: string): boolean {
  return /^\s*["“(]?\p{Lu}/u.test(text) && text.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length >= 3
}
