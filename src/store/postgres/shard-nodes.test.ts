import type { Client, Pool, QueryResult } from 'pg'
import { expect, test } from 'vitest'
import { PostgresError } from './error.ts'
import { connectToNodes } from './shard-nodes.ts'

const url = 'postgres://server:secret@coordinator:5432/tollgate?sslmode=require'
const nodeUrl = 'postgres://server:secret@node-2:5433/tollgate?sslmode=require'

/** Connects with each of these results in turn, and returns the addresses. */
async function connecting(rows: object[], failures: readonly (Error | null)[]): Promise<string[]> {
  const asked: string[] = []
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only part of a result that is read
  const query = async () => ({ rows }) as QueryResult
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only method that is called
  const connect = connectToNodes({ query } as unknown as Pick<Pool, 'query'>, url, async (at) => {
    const failure = failures[asked.push(at) - 1]
    if (failure) throw failure
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client is not used
    return {} as Client
  })
  await connect('3').catch(() => asked.push('failed'))
  return asked
}

const node = { host: 'node-2', port: '5433' }
const failed = (code: string) =>
  new PostgresError('unreachable', code, { cause: Object.assign(new Error(code), { code }) })

test('a lane connects to the node of its shard, with the role and the database of the coordinator', async () => {
  expect(await connecting([node], [])).toEqual([nodeUrl])
})

test.each(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', '28000', '28P01'])(
  'if the node fails with %s, the lane connects to the coordinator',
  async (code) => {
    expect(await connecting([node], [failed(code)])).toEqual([nodeUrl, url])
  },
)

test('if the node does not respond, the lane does not wait for the coordinator too', async () => {
  const timeout = new PostgresError('unreachable', 'timeout', { cause: new Error('timeout expired') })
  expect(await connecting([node], [timeout])).toEqual([nodeUrl, 'failed'])
})

test('a shard that has no primary node uses the coordinator', async () => {
  expect(await connecting([], [])).toEqual([url])
})
