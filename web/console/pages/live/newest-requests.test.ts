import { expect, it } from 'vitest'
import type { Request } from '#sdk/generated/types.ts'
import { emptyRing, ringMax, withCalls, type Ring } from './newest-requests.ts'

const calls = (...ids: readonly string[]): Request[] => ids.map((id) => ({ id }) as Request)
const ids = ({ rows }: Ring): readonly string[] => rows.map(({ id }) => id)

it('the newest request is first, and the list has a maximum length', () => {
  let ring = withCalls(emptyRing, calls('a', 'b'), false)
  ring = withCalls(ring, calls('c'), false)
  expect(ids(ring)).toEqual(['c', 'b', 'a'])
  for (let n = 0; n < ringMax; n++) ring = withCalls(ring, calls(`n${n}`), false)
  expect(ring.rows).toHaveLength(ringMax)
  expect(ids(ring)[0]).toBe(`n${ringMax - 1}`)
  expect(ids(ring)).not.toContain('c')
})

it('the list does not change while it is paused, and the arriving requests are counted', () => {
  let ring = withCalls(emptyRing, calls('a'), false)
  ring = withCalls(withCalls(ring, calls('b'), true), calls('c', 'd'), true)
  expect([ids(ring), ring.waitingCount]).toEqual([['a'], 3])
  ring = withCalls(ring, [], false)
  expect([ids(ring), ring.waitingCount]).toEqual([['d', 'c', 'b', 'a'], 0])
})

it('the list contains a request once, even if the server sends the request twice', () => {
  let ring = withCalls(emptyRing, calls('a', 'a'), false)
  ring = withCalls(ring, calls('b'), true)
  ring = withCalls(ring, calls('a', 'b', 'c'), true)
  expect([ids(ring), ring.waitingCount]).toEqual([['a'], 2])
  expect(withCalls(ring, [], true)).toBe(ring)
})

it('requests that arrive while the list is paused are counted, even if the list drops some of them', () => {
  const many = calls(...Array.from({ length: ringMax + 5 }, (_, n) => `n${n}`))
  const ring = withCalls(emptyRing, many, true)
  expect([ring.waiting.length, ring.waitingCount]).toEqual([ringMax, ringMax + 5])
})
