/**
 * Reads one row strictly: a column of an unexpected type is a fault. Rows from the engine have bigint integers. Rows
 * from Kysely have numbers, except for money (sql/bigint-only-for-money-columns.ts).
 */
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

export function wordIn<Word extends string>(row: SqlRow, name: string, words: readonly Word[]): Word {
  const text = textIn(row, name)
  const word = words.find((each) => each === text)
  assert(word !== undefined, `${name} is ${words.join(' or ')}, not ${text}`)
  return word
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
  const integer = row[name]
  const value = typeof integer === 'number' ? integer : Number(bigintIn(row, name))
  assert(Number.isSafeInteger(value), `${name} is below 2^53`)
  return value
}

export function numberOrNullIn(row: SqlRow, name: string): number | null {
  return row[name] === null ? null : numberIn(row, name)
}

export function flagIn(row: SqlRow, name: string): boolean {
  return numberIn(row, name) === 1
}
