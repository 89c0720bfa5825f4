import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { rmSync } from 'node:fs'
import { newDataFolder } from '../support/data-folder.ts'
import { makeApplication, startServer, type Server } from '../support/start-product.ts'
import { hasPostgres, type TestDatabase } from '../support/start-postgres.ts'
import { migratedDatabase } from '../support/reused-databases.ts'

interface Watched {
  /** The stream has sent `count` calls when the promise resolves. */
  ids(count: number): Promise<string[]>
  rest(): Promise<string>
  lastId(): string
  leave(): void
}

async function watch(server: Server, slug: string, lastEventId?: string): Promise<Watched> {
  const abort = new AbortController()
  const response = await fetch(`${server.baseUrl}/v1/requests/tail`, {
    headers: {
      authorization: `Bearer ${server.token}`,
      'x-svc-app': slug,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: abort.signal,
  })
  expect(response.status).toBe(200)
  const reader = response.body?.getReader()
  let text = ''
  const more = async (): Promise<boolean> => {
    const { done = true, value } = (await reader?.read()) ?? {}
    text += Buffer.from(value ?? []).toString()
    return !done
  }
  const found = (): string[] => [...text.matchAll(/^data: \{"id":"(req_\w+)"/gm)].map(([, id = '']) => id)
  // The first piece of the stream confirms that the server sends new calls to the reader.
  await more()
  return {
    async ids(count) {
      while (found().length < count && (await more()));
      return found()
    },
    async rest() {
      while (await more());
      return text
    },
    lastId: () => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '',
    leave: () => abort.abort(),
  }
}

test('the tail sends the row of each ended call, and its last event reports that the server stops', async () => {
  const server = await startServer()
  const acme = await makeApplication(server)
  const ada = await acme.newUser({ balanceMicros: 1_000_000n })
  const watched = await watch(server, acme.slug)
  expect((await acme.call(ada)).status).toBe(200)
  expect((await acme.call(ada, { stream: true })).status).toBe(200)
  expect((await acme.call(ada, { model: 'acme/none' })).status).toBe(404)
  const ids = await watched.ids(3)
  const listed = await acme.api('GET', '/v1/requests')
  expect(ids.toSorted()).toEqual(listed.data.map(({ id }: { id: string }) => id).toSorted())
  const closing = server.close()
  const text = await watched.rest()
  expect(text).toContain('event: ended\ndata: {"code":"draining"')
  for (const row of listed.data) expect(text).toContain(`data: ${JSON.stringify(row)}\n`)
  await closing
  await acme.provider.close()
})

describe.skipIf(!hasPostgres)('two processes on one database', () => {
  let database: TestDatabase
  let folder: string
  beforeEach(async () => {
    database = await migratedDatabase()
    folder = newDataFolder('tail')
  })
  afterEach(async () => {
    await database.drop()
    rmSync(folder, { recursive: true })
  })

  test('a reader at one process receives the calls of both processes, including calls that ended while it was disconnected', async () => {
    const one = await startServer({ databaseUrl: database.url, folder })
    const acme = await makeApplication(one)
    const ada = await acme.newUser({ balanceMicros: 100_000_000n })
    const other = await startServer({ databaseUrl: database.url, folder, token: one.token })
    const there = await acme.again(other)
    const idOf = async (called: Promise<{ headers: Headers }>): Promise<string> =>
      (await called).headers.get('x-request-id') ?? ''
    const calls = (count: number): Promise<string[]> =>
      Promise.all(Array.from({ length: count }, (_, i) => idOf((i % 2 === 0 ? acme : there).call(ada))))
    const watched = await watch(one, acme.slug)
    // Once the reader sees a call of the other process, that process knows the reader.
    let seen: string[] = []
    for (let made: string[] = []; !made.some((id) => seen.includes(id));) {
      made = [...made, await idOf(there.call(ada))]
      const here = await idOf(acme.call(ada))
      while (!seen.includes(here)) seen = await watched.ids(seen.length + 1)
    }
    const first = await calls(40)
    while (!first.every((id) => seen.includes(id))) seen = await watched.ids(seen.length + 1)
    watched.leave()
    const away = await calls(30)
    const back = await watch(other, acme.slug, watched.lastId())
    const after = await calls(30)
    const rest = await back.ids(60)
    expect(rest.toSorted()).toEqual([...away, ...after].toSorted())
    expect(new Set(seen).size).toBe(seen.length)
    back.leave()
    await other.close()
    await one.close()
    await acme.provider.close()
  })
})
