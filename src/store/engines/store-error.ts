/** What those above the engines ask of an error, whichever engine it comes from. */
import { isAway, postgresCode } from './postgres-error.ts'
import { isEnvironmental as isOfTheDisk, sqliteCode } from './sqlite-error.ts'

/** It is the machine that refuses, whatever was asked: the same may be sent again. */
export function isEnvironmental(error: unknown): boolean {
  return isOfTheDisk(sqliteCode(error)) || isAway(postgresCode(error))
}

/** A row with that key is there already. */
export function isUniqueViolation(error: unknown): boolean {
  return sqliteCode(error) === 'unique' || postgresCode(error) === 'unique'
}
