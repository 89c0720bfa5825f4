import type { ByteText } from './byte-text.ts'

export interface TopMember {
  readonly name: string
  /** Position of the key's opening quote. */
  readonly at: number
  /** Position of the first byte of the value. */
  readonly start: number
  readonly end: number
}

/**
 * Does not read inside the members, and uses no tape. A response with vectors has millions of numbers, and a tape needs
 * 16 bytes for each. Only brackets and strings inside values are checked, so an incomplete text is detected, but not an
 * invalid number.
 * @returns null if the text is not a complete object
 */
export function topMembers(text: ByteText): readonly TopMember[] | null {
  const members: TopMember[] = []
  let at = afterSpace(text, 0)
  if (text[at] !== '{') return null
  at = afterSpace(text, at + 1)
  if (text[at] === '}') return afterSpace(text, at + 1) === text.length ? members : null
  for (;;) {
    const nameEnd = text[at] === '"' ? stringEnd(text, at) : -1
    if (nameEnd < 0) return null
    const colon = afterSpace(text, nameEnd)
    if (text[colon] !== ':') return null
    const start = afterSpace(text, colon + 1)
    const end = valueEnd(text, start)
    const name = nameOf(text.slice(at, nameEnd))
    if (end < 0 || name === null) return null
    members.push({ name, at, start, end })
    const next = afterSpace(text, end)
    if (text[next] === '}') return afterSpace(text, next + 1) === text.length ? members : null
    if (text[next] !== ',') return null
    at = afterSpace(text, next + 1)
  }
}

/**
 * Does not read inside the items. 0 if the value is not an array.
 * @param array a member that `topMembers` returned
 */
export function itemCount(text: ByteText, array: Pick<TopMember, 'start' | 'end'>): number {
  if (text[array.start] !== '[') return 0
  let count = 0
  for (let at = afterSpace(text, array.start + 1); at < array.end - 1;) {
    const end = valueEnd(text, at)
    if (end < 0) return count
    count++
    at = afterSpace(text, end)
    if (text[at] !== ',') return count
    at = afterSpace(text, at + 1)
  }
  return count
}

function nameOf(quoted: string): string | null {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return null
  }
}

const notSpace = /[^ \n\r\t]/g
const structure = /["[\]{}]/g
const scalarEnd = /[,\]} \n\r\t]/g

function afterSpace(text: ByteText, from: number): number {
  return positionOf(notSpace, text, from, text.length)
}

function valueEnd(text: ByteText, start: number): number {
  const first = text[start]
  if (first === '"') return stringEnd(text, start)
  if (first !== '{' && first !== '[') {
    const end = positionOf(scalarEnd, text, start, text.length)
    return end === start ? -1 : end
  }
  let depth = 0
  for (let at = start; at >= 0 && at < text.length;) {
    at = positionOf(structure, text, at, -1)
    if (at < 0) return -1
    const found = text[at]
    if (found === '"') {
      at = stringEnd(text, at)
      continue
    }
    at++
    if (found === '[' || found === '{') depth++
    else if (--depth === 0) return at
  }
  return -1
}

function stringEnd(text: ByteText, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return at + 1
  }
  return -1
}

function positionOf(pattern: RegExp, text: ByteText, from: number, otherwise: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? otherwise
}
