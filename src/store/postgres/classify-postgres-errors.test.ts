import { DatabaseError } from 'pg'
import { describe, expect, test } from 'vitest'
import { isAway, type PostgresCode, postgresError } from './classify-postgres-errors.ts'

function ofServer(state: string, constraint?: string): DatabaseError {
  const error = new DatabaseError('told by the server', 20, 'error')
  error.code = state
  if (constraint !== undefined) error.constraint = constraint
  return error
}

describe('PostgreSQL errors are classified by their SQLSTATE', () => {
  test.each<[state: string, code: PostgresCode]>([
    ['40001', 'retry'],
    ['40P01', 'retry'],
    ['55P03', 'busy'],
    ['57014', 'busy'],
    ['57P01', 'lost'],
    ['57P02', 'lost'],
    ['57P03', 'away'],
    ['08006', 'lost'],
    ['53100', 'away'],
    ['53300', 'away'],
    ['58030', 'away'],
    ['25006', 'away'],
    ['25P04', 'lost'],
    ['28000', 'denied'],
    ['28P01', 'denied'],
    ['3D000', 'denied'],
    ['55000', 'denied'],
    ['42501', 'denied'],
    ['42P01', 'denied'],
    ['3F000', 'denied'],
    ['23505', 'unique'],
    ['23000', 'broken'],
    ['42703', 'other'],
    ['22003', 'other'],
  ])('the SQLSTATE %s is classified as %s', (state, code) => {
    expect(postgresError(ofServer(state)).code).toBe(code)
  })

  test('a failed CHECK constraint is classified as a broken row, but a missing partition is not', () => {
    expect(postgresError(ofServer('23514', 'sources_check')).code).toBe('broken')
    expect(postgresError(ofServer('23514')).code).toBe('retry')
  })

  test('an error of a Citus node that has lost its connection to another node is classified as a lost connection', () => {
    const error = ofServer('XX000')
    expect(postgresError(error).code).toBe('other')
    error.routine = 'MarkRemoteTransactionFailed'
    expect(postgresError(error).code).toBe('lost')
  })
})

test('an error without an SQLSTATE is classified as a lost connection', () => {
  expect(postgresError(new Error('Connection terminated unexpectedly')).code).toBe('lost')
})

test.each<[code: PostgresCode, away: boolean]>([
  ['lost', true],
  ['unreachable', true],
  ['away', true],
  ['busy', true],
  ['retry', true],
  ['denied', true],
  ['unique', false],
  ['broken', false],
  ['other', false],
])('after an error of the kind %s, the store would reject every other operation too: %s', (code, away) => {
  expect(isAway(code)).toBe(away)
})
