import type { Screen } from '#cli/terminal-interface.ts'
import { paint } from './terminal-colors.ts'
import { cut, padEnd, padStart, widthOf } from './text-width.ts'

export interface Bar {
  readonly name: string
  readonly amount: bigint
  readonly cells: readonly string[]
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']
const longestBar = 40

export function barsText(titles: readonly string[], bars: readonly Bar[], screen: Screen): string {
  const [nameTitle = '', ...cellTitles] = titles
  const nameWidth = Math.min(32, Math.max(widthOf(nameTitle), ...bars.map(({ name }) => widthOf(name))))
  const widths = cellTitles.map((title, at) =>
    Math.max(widthOf(title), ...bars.map(({ cells }) => widthOf(cells[at] ?? ''))),
  )
  const used = nameWidth + widths.reduce((sum, width) => sum + width + 2, 0) + 2
  const room = Math.max(0, Math.min(longestBar, (screen.columns ?? 100) - used))
  const most = bars.reduce((max, { amount }) => (amount > max ? amount : max), 0n)
  const line = (name: string, cells: readonly string[]): string =>
    [
      padEnd(cut(name, nameWidth), nameWidth),
      ...cells.map((cell, at) => padStart(cell, widths[at] ?? 0)),
    ].join('  ')
  const head = paint(screen, 'bold', line(nameTitle, cellTitles))
  const rows = bars.map(({ amount, cells, name }) =>
    `${line(name, cells)}  ${paint(screen, 'cyan', barOf(amount, most, room))}`.trimEnd(),
  )
  return `${[head, ...rows].join('\n')}\n`
}

function barOf(amount: bigint, most: bigint, room: number): string {
  if (amount <= 0n || most <= 0n || room <= 0) return ''
  const parts = Number((amount * BigInt(room * 8)) / most)
  return parts === 0 ? '▏' : '█'.repeat(parts >> 3) + (eighths[parts & 7] ?? '')
}
