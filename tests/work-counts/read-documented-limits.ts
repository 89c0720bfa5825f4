import { readFileSync } from 'node:fs'
import { expect } from 'vitest'

/** Reads a table of docs/reference/call-counts.md. The numbers are in the order of `columns`. */
export function limitsOf(section: string, columns: readonly string[]): Map<string, number[]> {
  const guide = readFileSync(new URL('../../docs/reference/call-counts.md', import.meta.url), 'utf8')
  const lines = guide.split(`## ${section}\n`)[1]?.split('\n## ')[0]?.split('\n') ?? []
  const cells = lines
    .slice(lines.findIndex((line) => line.startsWith('| count')))
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  expect(cells[0]?.slice(1)).toEqual(columns)
  return new Map(cells.slice(2).map(([name = '', ...numbers]) => [name, numbers.map(Number)]))
}
