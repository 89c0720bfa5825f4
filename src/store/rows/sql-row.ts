/** One row as every engine gives it, integers as bigint, read strictly: a column of another type is a fault. */
import assert from 'node:assert/strict'

export type SqlRow = Readonly<Record<string, unknown>>

export function textIn(row: SqlRow, name: string): string {
  const value = row[name]
  assert(typeof value === 'string', `${name} is text`)
  return value
}

export function textOrNullIn(row: SqlRow, name: string): string | null {
  return row[name] === null ? null : textIn(row, name)
}

export function bigintIn(row: SqlRow, name: string): bigint {
  const value = row[name]
  assert(typeof value === 'bigint', `${name} is an integer`)
  return value
}

export function bigintOrNullIn(row: SqlRow, name: string): bigint | null {
  return row[name] === null ? null : bigintIn(row, name)
}

export function numberIn(row: SqlRow, name: string): number {
  const value = Number(bigintIn(row, name))
  assert(Number.isSafeInteger(value), `${name} is below 2^53`)
  return value
}

export function numberOrNullIn(row: SqlRow, name: string): number | null {
  return row[name] === null ? null : numberIn(row, name)
}

export function flagIn(row: SqlRow, name: string): boolean {
  return bigintIn(row, name) === 1n
}
