import { expect, test } from 'vitest'
import { faultOf } from './connection.ts'

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
