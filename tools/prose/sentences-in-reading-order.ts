/** Each sentence has the texts above it as its context, because a reader sees them first. */
import { parse as parseMarkdown } from '@textlint/markdown-to-ast'
import type { TxtNode, TxtParentNode } from '@textlint/ast-node-types'
import { apiTexts } from './api-passages.ts'
import { filePassages } from './file-passages.ts'
import { sentencesOf } from './split-into-sentences.ts'
import { linePassages, textTree, type Passage } from './syntax-tree-of-passages.ts'

export interface ReadableText {
  readonly kind: 'API' | 'guides and records' | 'pages, commands and errors' | 'comments and test titles'
  readonly sentence: string
  /**
   * Outermost first. A cell of a table has the heading and the column as context, and a comment has the declaration.
   */
  readonly context: readonly string[]
}

export function readableTexts(path: string, text: string): ReadableText[] {
  if (path.endsWith('.json')) return apiSentences(text)
  if (path.endsWith('.md')) return markdownSentences(parseMarkdown(text), [])
  const passages = filePassages(path, text)
  const { children } = textTree(withoutCode(text, passages), passages)
  return passages.flatMap(({ kind, context, label }, at) => {
    const node = children[at]
    if (!node) return []
    return inContext(
      kind === 'shown text' ? 'pages, commands and errors' : 'comments and test titles',
      node,
      context,
      label,
    )
  })
}

/**
 * If code on a page computes a value, readers see the value instead of the code. The result is as long as the source.
 */
function withoutCode(source: string, passages: readonly Passage[]): string {
  const code = passages.filter(({ kind }) => kind === 'shown text').flatMap(({ pieces }) => pieces)
  let read = ''
  for (const { from, to, isCode } of code.toSorted((a, b) => a.from - b.from)) {
    if (isCode !== true || from < read.length) continue
    read += source.slice(read.length, from) + '…'.padEnd(to - from)
  }
  return read + source.slice(read.length)
}

function apiSentences(text: string): ReadableText[] {
  return apiTexts(JSON.parse(text)).flatMap((entry) => {
    const place = fieldName(entry.path)
    let intro: string[] = []
    return entry.text.split(/\n+/).flatMap((line) => {
      const label = line.match(/^\s*(?:[-*]|\d+\.)\s+/)?.[0] ?? ''
      const rest = line.slice(label.length)
      const [node] = textTree(rest, linePassages(rest)).children
      if (label === '') intro = [line]
      const context = label === '' ? [place] : [place, ...intro]
      return node ? inContext('API', node, context, label.trim()) : []
    })
  })
}

/**
 * Removes structural parts, such as `schema`, from the path of an API text. Results are such as `/v1/keys post` and
 * `Key cap period`.
 */
function fieldName(path: string): string {
  const structure =
    /^(?:paths|components|schemas|properties|content|application\/.*|schema|items|anyOf|oneOf|allOf|\d+|summary|description)$/
  return path
    .replace('application/json', 'application/')
    .split('.')
    .filter((part) => !structure.test(part))
    .join(' ')
}

function markdownSentences({ children }: TxtParentNode, above: readonly string[]): ReadableText[] {
  let heading: string[] = []
  let intro: string[] = []
  return children.flatMap((child) => {
    const here = [...above, ...heading]
    if (child.type === 'Header') {
      heading = [plain(child)]
      intro = []
      return inContext('guides and records', child, above)
    }
    if (child.type === 'Paragraph') {
      intro = [plain(child)]
      return inContext('guides and records', child, here)
    }
    if (child.type === 'Table') {
      const columns = child.children[0]?.children.map(plain) ?? []
      return child.children.flatMap((row) =>
        row.children.flatMap((cell, at) =>
          inContext('guides and records', cell, [...here, ...columns.slice(at, at + 1)]),
        ),
      )
    }
    if (child.type === 'List') return markdownSentences(child, [...here, ...intro])
    return 'children' in child ? markdownSentences(child, here) : []
  })
}

function plain(node: TxtNode): string {
  return sentencesOf(node)
    .map(({ text }) => text)
    .join(' ')
}

/** The label is part of the first sentence. Each later sentence has the sentences before it as context. */
function inContext(
  kind: ReadableText['kind'],
  node: TxtNode,
  context: readonly string[],
  label = '',
): ReadableText[] {
  const sentences = sentencesOf(node)
  const texts = sentences.map(({ text }, at) => (at === 0 ? `${label} ${text}`.trim() : text))
  return texts.flatMap((sentence, at) => {
    // A text that is only code, such as the name of a flag, is not a sentence.
    const hasWords = /\p{L}/u.test(sentences[at]?.words.replace(/\bX_*/g, '') ?? '')
    const before = texts.slice(0, at).join(' ')
    return hasWords ? [{ kind, sentence, context: before === '' ? context : [...context, before] }] : []
  })
}
