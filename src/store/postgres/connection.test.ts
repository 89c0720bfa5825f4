import { DatabaseError } from 'pg'
import { expect, test } from 'vitest'
import { postgresError } from './classify-postgres-errors.ts'
import { connectionFault, faultOf } from './connection.ts'

const sound = { major: 14n, is_replica: 0n, synchronous_commit: 'on' }

test('a connection to a primary is accepted if its version is supported and it keeps confirmed commits', () => {
  expect(faultOf(sound)).toBeNull()
  expect(faultOf({ ...sound, major: 18n, synchronous_commit: 'remote_apply' })).toBeNull()
})

test.each([
  [{ major: 13n }, 'PostgreSQL 13 is too old, 14 or newer is needed'],
  [{ is_replica: 1n }, 'it is a replica, and only the primary has the latest balances'],
  [
    { synchronous_commit: 'off' },
    'its synchronous_commit is off: set it to on, or money that was confirmed can be lost',
  ],
  [
    { synchronous_commit: 'local' },
    'its synchronous_commit is local: set it to on, or money that was confirmed can be lost',
  ],
])('a connection to a server with %o is rejected', (change, sentence) => {
  expect(faultOf({ ...sound, ...change })).toBe(sentence)
})

test.each([
  ['28P01', 'Set the current password in PGPASSWORD'],
  ['28000', 'add sslmode=verify-full to the address'],
  ['3D000', 'Create the database, or correct its name in DATABASE_URL'],
  ['42501', 'Grant the role of DATABASE_URL the right to connect to the database'],
  ['53300', 'raise max_connections'],
])('a connection that the server rejects with %s is reported with what to do', (state, advice) => {
  const rejected = new DatabaseError('told by the server', 20, 'error')
  rejected.code = state
  const sentence = connectionFault(postgresError(rejected))
  expect(sentence).toContain('The connection to PostgreSQL failed (told by the server). ')
  expect(sentence).toContain(advice)
})

test('a certificate that is not accepted is reported with the setting for the certificate authority', () => {
  const error = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  expect(connectionFault(postgresError(error))).toContain('Add sslrootcert')
})

test('a server without TLS is reported with the setting that requires TLS', () => {
  const error = new Error('The server does not support SSL connections')
  expect(connectionFault(postgresError(error))).toContain('remove sslmode from the address of the database')
})

test('an error without advice of its own names the setting, and a server that is starting keeps its message', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  expect(connectionFault(postgresError(refused))).toContain(
    'Check the address of the database (DATABASE_URL)',
  )
  const starting = new DatabaseError('the database system is starting up', 20, 'error')
  starting.code = '57P03'
  expect(connectionFault(postgresError(starting))).toBe('the database system is starting up')
})
