import type { Screen } from '#cli/terminal-interface.ts'
import { paint } from './terminal-colors.ts'
import { amountInStatedUnit } from './amount-in-stated-unit.ts'
import { cellText, isRow, tableText, titleOf, type Row } from './aligned-table.ts'
import { padEnd, widthOf, wrapped } from './text-width.ts'

export function recordText(document: Row, screen: Screen): string {
  return block(document, { indent: '', path: '' }, screen).join('\n') + '\n'
}

interface Place {
  readonly indent: string
  readonly path: string
}

function block(document: Row, { indent, path }: Place, screen: Screen): string[] {
  const entries = Object.entries(document)
  const simple = entries.filter(([, value]) => !isNested(value))
  const nested = entries.filter(([, value]) => isNested(value))
  const names = simple.map(([name]) => titleOf(name).toLowerCase())
  const width = Math.max(0, ...names.map(widthOf))
  const lines = simple.map(
    ([name, value], at) =>
      `${indent}${paint(screen, 'dim', padEnd(names[at] ?? '', width))}  ${amountInStatedUnit(name, value, (field) => document[field]) ?? cellText(path === '' ? name : `${path}.${name}`, value)}`,
  )
  for (const [name, value] of nested) {
    lines.push('', `${indent}${paint(screen, 'bold', titleOf(name).toLowerCase())}`)
    if (isRow(value)) lines.push(...block(value, { indent: `${indent}  `, path: name }, screen))
    else if (Array.isArray(value)) lines.push(...listLines(value, `${indent}  `, screen))
  }
  return lines[0] === '' ? lines.slice(1) : lines
}

function listLines(list: readonly unknown[], indent: string, screen: Screen): string[] {
  const room = screen.columns === null ? null : Math.max(20, screen.columns - indent.length)
  const { leftOut, text } = tableText(list.filter(isRow), { columns: null }, { ...screen, columns: room })
  const lines = text.trimEnd().split('\n')
  const count = `${leftOut.length} more ${leftOut.length === 1 ? 'column' : 'columns'}`
  const hidden =
    leftOut.length > 0 ? wrapped(`${count} hidden. Print all with --json.`, room ?? Infinity) : []
  return [...lines, ...hidden].map((line) => indent + line)
}

function isNested(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isRow)
  return isRow(value) && Object.keys(value).length > 0
}
