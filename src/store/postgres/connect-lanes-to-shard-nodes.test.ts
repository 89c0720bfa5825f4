import { type Client, DatabaseError, type QueryResult } from 'pg'
import { expect, test } from 'vitest'
import { PostgresError } from './classify-postgres-errors.ts'
import { connectToNodes } from './connect-lanes-to-shard-nodes.ts'

const url = 'postgres://server:secret@coordinator:5432/tollgate?sslmode=require'
const nodeUrl = 'postgres://server:secret@node-2:5433/tollgate?sslmode=require'

/**
 * Attempt n fails with item n of `failures`, or succeeds if the item is null. Returns the addresses that were called.
 */
async function connecting(rows: object[], failures: readonly (Error | null)[], times = 1): Promise<string[]> {
  const asked: string[] = []
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only part of a result that is read
  const query = async () => ({ rows }) as QueryResult
  const connect = connectToNodes({ query }, url, async (at) => {
    const failure = failures[asked.push(at) - 1]
    if (failure) throw failure
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client is not used
    return {} as Client
  })
  for (let time = 0; time < times; time++) {
    // oxlint-disable-next-line no-await-in-loop -- one connection after the other
    await connect('3').catch(() => asked.push('failed'))
  }
  return asked
}

const node = { host: 'node-2', port: '5433' }
const failedWith = (cause: Error) => new PostgresError('unreachable', cause.message, { cause })
const failed = (code: string) => failedWith(Object.assign(new Error(code), { code }))
const rejected = (code: string) => {
  const cause = Object.assign(new DatabaseError('rejected', 1, 'error'), { code })
  return new PostgresError('other', cause.message, { cause })
}
const timeout = failedWith(new Error('timeout expired'))
/** Errors of a node that permanently rejects the server's connections. */
const closed: [name: string, error: Error][] = [
  ...['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH'].map((code): [string, Error] => [code, failed(code)]),
  ...['28000', '28P01'].map((code): [string, Error] => [code, rejected(code)]),
  ['a self-signed certificate', failed('DEPTH_ZERO_SELF_SIGNED_CERT')],
  ['no TLS', failedWith(new Error('The server does not support SSL connections'))],
]

test('a ledger connection (lane) connects to the node that has its shard, with the role and the database of the coordinator', async () => {
  expect(await connecting([node], [])).toEqual([nodeUrl])
})

test.each(closed)(
  'if the connection to the node fails with %s, the lane connects to the coordinator',
  async (_, error) => {
    expect(await connecting([node], [error])).toEqual([nodeUrl, url])
    expect(await connecting([node], [null, error], 2)).toEqual([nodeUrl, nodeUrl, url])
  },
)

test.each([
  ['the limit of the client', timeout],
  ['ETIMEDOUT', failed('ETIMEDOUT')],
])('after a node has responded once, a timeout of its connection is an error (%s)', async (_, error) => {
  expect(await connecting([node], [error])).toEqual([nodeUrl, url])
  expect(await connecting([node], [null, error], 2)).toEqual([nodeUrl, nodeUrl, 'failed'])
})

test('if a node has unsafe settings, the connection fails, and the lane does not connect to the coordinator instead', async () => {
  const unsafe = new PostgresError('away', 'The database cannot be used: its synchronous_commit is off')
  expect(await connecting([node], [unsafe])).toEqual([nodeUrl, 'failed'])
})

test('if a shard has no primary node, the lane connects to the coordinator', async () => {
  expect(await connecting([], [])).toEqual([url])
})
