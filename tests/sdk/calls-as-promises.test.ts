/** A call is accepted wherever a promise is expected, such as in helpers that retry, limit or cache. */
import { isPromise } from 'node:util/types'
import { expect, it } from 'vitest'
import { Tollgate } from '#sdk/tollgate.ts'

const row = { id: 'key_1' }

function client(): Tollgate {
  const answers = [
    { data: [row], nextCursor: 'keys.list.next' },
    { data: [{ id: 'key_2' }], nextCursor: null },
  ]
  return new Tollgate({
    token: 'sk_x',
    baseUrl: 'http://127.0.0.1:1',
    fetch: async () => Response.json(answers.shift() ?? { error: { code: 'not_found', message: 'x' } }),
  })
}

/** Has the same types as p-limit and helpers that retry. */
async function twice<T>(task: () => Promise<T>): Promise<T> {
  await task()
  return task()
}

it('a list call and a single call are promises, to the compiler and at run time', async () => {
  const tollgate = client()
  const list: Promise<{ readonly data: readonly object[] }> = tollgate.keys.list()
  const one: Promise<unknown> = tollgate.keys.show({ id: 'key_1' })
  for (const call of [list, one]) {
    expect(call).toBeInstanceOf(Promise)
    expect(isPromise(call)).toBe(true)
  }
  expect((await list).data).toEqual([row])
  await one
})

it('a list call can be passed to helpers that expect a promise', async () => {
  const tollgate = client()
  expect((await twice(() => tollgate.keys.list())).data).toEqual([{ id: 'key_2' }])
  const [first, second] = await Promise.all([client().keys.list(), client().keys.list()])
  expect([first.data, second.data]).toEqual([[row], [row]])
  const raced = await Promise.race([client().keys.list(), new Promise<never>(() => {})])
  expect(raced.data).toEqual([row])
})

it('then, catch and finally of a list call return its first page, and the rows can still be read', async () => {
  expect(
    await client()
      .keys.list()
      .then(({ data }) => data),
  ).toEqual([row])
  let ended = 0
  const page = await client()
    .keys.list()
    .catch(() => null)
    .finally(() => (ended += 1))
  expect([page?.data, ended]).toEqual([[row], 1])
  const rows: unknown[] = []
  for await (const key of client().keys.list()) rows.push(key)
  expect(rows).toEqual([row, { id: 'key_2' }])
})

it('a failed list call causes a single rejection, and no unhandled rejection', async () => {
  const tollgate = new Tollgate({
    token: 'sk_x',
    baseUrl: 'http://127.0.0.1:1',
    maxRetries: 0,
    fetch: async () => {
      throw new TypeError('unreachable')
    },
  })
  await expect(Promise.all([tollgate.keys.list(), Promise.resolve()])).rejects.toThrow('keys.list')
})
