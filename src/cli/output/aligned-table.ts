/** In a pipe, the table contains everything. On a terminal, the table is fitted to the width. */
import type { Screen } from '#cli/terminal-interface.ts'
import { amountInStatedUnit } from './amount-in-stated-unit.ts'
import { isMoneyField, isRateField, moneyText, rateText } from './dollars-and-micros.ts'
import { paint } from './terminal-colors.ts'
import { cut, harmless, padEnd, padStart, widthOf } from './text-width.ts'

export type Row = Readonly<Record<string, unknown>>

export interface PrintedTable {
  readonly text: string
  readonly leftOut: readonly string[]
}

const gap = 2
/** Maximum length of a cell on a terminal, unless it is the only cell in its row. */
const longestCell = 44

/**
 * @param columns paths of fields such as `balance.balanceUnits`. Null means `preferred` on a terminal, and all columns
 * in a pipe or if there is no preference.
 */
export function tableText(
  rows: readonly Row[],
  {
    columns,
    preferred = null,
  }: { readonly columns: readonly string[] | null; readonly preferred?: readonly string[] | null },
  screen: Screen,
): PrintedTable {
  const flat = rows.map(flatten)
  const present = [...new Set(flat.flatMap((row) => [...row.keys()]))]
  const isPreferred = columns === null && preferred !== null && screen.columns !== null
  const all = columns ?? (isPreferred ? preferred : present)
  const made = all.map((path) => columnOf(path, flat, screen.columns === null ? null : longestCell))
  const shown = screen.columns === null || columns !== null ? made : fitting(made, screen.columns)
  const head = shown.map((column) => paint(screen, 'bold', aligned(column, column.title)))
  const lines = flat.map((_, at) => shown.map((column) => aligned(column, column.cells[at] ?? '')))
  const text = [head, ...lines].map((cells) => cells.join(' '.repeat(gap)).trimEnd()).join('\n')
  const left = made.filter((column) => !shown.includes(column) && !column.isEmpty).map(({ path }) => path)
  const others = isPreferred ? present.filter((path) => !preferred.includes(path)) : []
  return { text: `${text}\n`, leftOut: [...left, ...others] }
}

interface Column {
  readonly path: string
  readonly title: string
  readonly cells: readonly string[]
  readonly width: number
  readonly isNumber: boolean
  readonly isEmpty: boolean
}

function columnOf(
  path: string,
  rows: readonly ReadonlyMap<string, unknown>[],
  longest: number | null,
): Column {
  const values = rows.map((row) => row.get(path))
  const inUnits = rows.map((row) => amountOf(path, row))
  const whole = values.map((value, at) => inUnits[at] ?? cellText(path, value))
  const cells = longest === null ? whole : whole.map((cell) => (isId(cell) ? cell : cut(cell, longest)))
  const title = titleOf(path)
  return {
    path,
    title,
    cells,
    width: Math.max(widthOf(title), ...cells.map(widthOf)),
    isNumber: isMoneyField(path) || inUnits.some((text) => text !== null) || areNumbers(values),
    isEmpty: values.every((value) => value === null || value === undefined),
  }
}

/** A column without any value is aligned like text, so that its dashes are below the start of the heading. */
function areNumbers(values: readonly unknown[]): boolean {
  return (
    values.some((value) => typeof value === 'number') &&
    values.every((value) => typeof value === 'number' || value === null)
  )
}

function amountOf(path: string, row: ReadonlyMap<string, unknown>): string | null {
  const start = path.lastIndexOf('.') + 1
  return amountInStatedUnit(path.slice(start), row.get(path), (field) =>
    row.get(`${path.slice(0, start)}${field}`),
  )
}

/** IDs are never truncated, so that users can copy them. */
function isId(cell: string): boolean {
  return /^\w+_\w+$/.test(cell)
}

/** Columns without any value are dropped first. */
function fitting(columns: readonly Column[], room: number): readonly Column[] {
  const needed = (some: readonly Column[]): number => some.reduce((sum, { width }) => sum + width + gap, -gap)
  let kept = columns
  if (needed(kept) > room) kept = kept.filter(({ isEmpty }) => !isEmpty)
  while (kept.length > 1 && needed(kept) > room) kept = kept.slice(0, -1)
  return kept
}

function aligned({ isNumber, width }: Column, text: string): string {
  return isNumber ? padStart(text, width) : padEnd(text, width)
}

/** Turns the fields of an object in a row into separate columns, one level deep. */
function flatten(row: Row): Map<string, unknown> {
  const flat = new Map<string, unknown>()
  for (const [name, value] of Object.entries(row)) {
    if (isRow(value)) for (const [inner, one] of Object.entries(value)) flat.set(`${name}.${inner}`, one)
    else flat.set(name, value)
  }
  return flat
}

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `balance.balanceUnits` becomes BALANCE, and `createdAt` becomes CREATED AT. */
export function titleOf(path: string): string {
  const [above, name = above] = path.split('.')
  const words = (name ?? '')
    .replace(/(Micros|Units)$/, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toUpperCase()
  const group = (above ?? '').replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toUpperCase()
  return above === name || words === group ? words : `${group} ${words}`
}

export function cellText(path: string, value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return textOf(path, value)
  if (Array.isArray(value)) {
    if (value.length === 0) return '-'
    if (value.some((one) => typeof one === 'object')) return String(value.length)
    return harmless(value.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(', '))
  }
  return harmless(JSON.stringify(value))
}

function textOf(path: string, value: string): string {
  if (/^-?\d+$/.test(value)) {
    if (isMoneyField(path)) return moneyText(value)
    if (isRateField(path)) return rateText(path, value)
  }
  return harmless(timeText(value))
}

export function timeText(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2Z')
}
