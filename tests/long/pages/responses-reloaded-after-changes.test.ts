/**
 * Pages must show no response that a change has made outdated. The test page displays the responses of all read
 * operations, through the console's cache and a real server.
 */
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { reloadAfter } from '#web/console/operations/reload-outdated-responses.ts'
import { openControl, type Control } from '../../support/control-plane-without-socket.ts'
import {
  filled,
  operationOf,
  reads,
  sampleOf,
  send,
  type Filled,
} from '../../support/valid-request-of-every-operation.ts'

let control: Control
let ids: Filled
beforeEach(async () => {
  control = await openControl({ isRepeatable: true })
  ids = await filled(control)
})
afterEach(() => control.close())

const change = async (id: string, sample = sampleOf(operationOf(id), ids)) => {
  const answer = await send(control, operationOf(id), sample, { app: 'acme' })
  expect(answer.status, answer.text).toBe(200)
  return answer
}

const pages = reads.filter(({ scope }) => scope !== 'end_user')

/** The test reads one response after the other, because the server limits the concurrent reads of one caller. */
let last: Promise<unknown> = Promise.resolve()
function readOf(id: string): Promise<string> {
  const read = last.then(async () => {
    const { status, text } = await send(control, operationOf(id), sampleOf(operationOf(id), ids), {
      app: 'acme',
    })
    return `${status} ${text.replaceAll(/"latencyMs":\d+/g, '"latencyMs":0')}`
  })
  last = read
  return read
}

/** Builds the cache keys that the console's `useAnswer` builds. */
const keyOf = (id: string): readonly unknown[] => [...id.split('.'), sampleOf(operationOf(id), ids), {}]

/** @returns the cache, and the responses that the page shows now, by operation */
async function openPage() {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } })
  const observers = pages.map(({ id }) => {
    const observer = new QueryObserver(queries, { queryKey: keyOf(id), queryFn: async () => readOf(id) })
    return { id, observer, close: observer.subscribe(() => {}) }
  })
  await last
  return {
    queries,
    shown: () => new Map(observers.map(({ id, observer }) => [id, observer.getCurrentResult().data])),
    close: () => {
      for (const { close } of observers) close()
      queries.clear()
    },
  }
}

/** Some changes need another request first, which prepares the data. */
const earlier: Readonly<Record<string, string>> = { 'models.enable': 'models.disable' }

describe('a page', () => {
  it.each([
    'keys.mint',
    'grants.issue',
    'apps.create',
    'models.add',
    'models.enable',
    'bundles.allow',
    'providers.price',
  ])('a page shows the current responses after %s', async (id) => {
    const first = earlier[id]
    if (first !== undefined) await change(first)
    const page = await openPage()
    const before = page.shown()
    await change(id)
    await reloadAfter(page.queries, id)
    const after = page.shown()
    const current = new Map<string, string>()
    // oxlint-disable-next-line no-await-in-loop -- readOf reads in turn
    for (const { id: read } of pages) current.set(read, await readOf(read))
    const differing = (one: typeof after, other: typeof current) =>
      [...one]
        .filter(([read, text]) => other.get(read) !== text && read !== 'audit.list')
        .map(([read]) => read)
    page.close()
    expect(differing(after, current)).toEqual([])
    expect(differing(before, current)).not.toEqual([])
  })

  it('a page reloads only the displayed responses, and marks all other responses as outdated', async () => {
    const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
    const loads: string[] = []
    const options = (id: string) => ({
      queryKey: [...id.split('.'), {}, {}],
      queryFn: () => (loads.push(id), id),
    })
    const close = new QueryObserver(queries, options('users.list')).subscribe(() => {})
    await queries.prefetchQuery(options('apps.list'))
    await queries.prefetchQuery(options('routers.list'))
    await queries.refetchQueries({ queryKey: ['users'] })
    loads.length = 0
    await reloadAfter(queries, 'keys.mint')
    close()
    expect(loads).toEqual(['users.list'])
    const isStale = (id: string) => queries.getQueryState(options(id).queryKey)?.isInvalidated
    expect([isStale('apps.list'), isStale('routers.list')]).toEqual([true, false])
    queries.clear()
  })

  it('a page does not load the responses of a deleted end user again', async () => {
    const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
    const loads: string[] = []
    const shown = [
      ['users', 'list', { query: 'user-1' }],
      ['users', 'show', { externalId: 'user-1' }],
      ['subscription', 'show', { endUserId: 'user-1' }],
      ['keys', 'list', { endUserId: 'user-2' }],
    ] as const
    const closes = shown.map(([noun, verb, input]) => {
      const queryFn = () => (loads.push(`${noun}.${verb}`), verb)
      return new QueryObserver(queries, { queryKey: [noun, verb, input, {}], queryFn }).subscribe(() => {})
    })
    await queries.refetchQueries()
    loads.length = 0
    await reloadAfter(queries, 'users.rm', { externalId: 'user-1' })
    for (const close of closes) close()
    queries.clear()
    expect(loads.toSorted()).toEqual(['keys.list', 'users.list'])
  })
})
