import { expect, test } from 'vitest'
import { type OnEarly, RestingConnections } from './resting-connections.ts'

function rests() {
  const clock = { nowMs: 0 }
  const seen: string[] = []
  const resting = new RestingConnections(() => clock.nowMs)
  /** @returns with this function, the client sends its next request too early */
  const rest = (name: string, rejectionMs = 0): ((bytes?: number) => void) => {
    let send: OnEarly = () => {}
    resting.add(
      (onEarly) => {
        send = onEarly
        return { resume: (reason) => void seen.push(`${name} ${reason}`) }
      },
      resting.nextEndMs(clock.nowMs, rejectionMs),
    )
    return (bytes = 1_000) => send(bytes)
  }
  return { clock, resting, rest, seen }
}

test('the requests that arrived last are read first, and connections without a request continue to rest', () => {
  const { rest, resting, seen } = rests()
  const [a, b, c] = ['a', 'b', 'c'].map((name) => rest(name))
  rest('idle')
  b?.()
  a?.()
  c?.()
  resting.readNewest(2, 0)
  expect(seen).toEqual(['c capacity', 'a capacity'])
  resting.readNewest(5, 0)
  expect(seen).toEqual(['c capacity', 'a capacity', 'b capacity'])
  expect(resting.count).toBe(1)
})

test('a request that has waited too long is read only when its connection stops resting', () => {
  const { clock, rest, resting, seen } = rests()
  const [old, recent] = ['old', 'recent'].map((name) => rest(name))
  old?.()
  clock.nowMs = 800
  recent?.()
  resting.readNewest(5, 50)
  expect(seen).toEqual(['recent capacity'])
  resting.endDue(1_999)
  expect(seen).toHaveLength(1)
  resting.endDue(2_000)
  expect(seen).toEqual(['recent capacity', 'old time'])
  expect(resting.count).toBe(0)
})

test('the more connections rest, the longer the next connection rests, up to five seconds, and connections stop resting in the order in which they began', () => {
  const { clock, rest, resting } = rests()
  expect(resting.nextEndMs(0, 0.15)).toBe(2_000)
  for (let n = 0; n < 2_000; n++) rest(String(n), 0.15)
  // 2,000 rejections of 0.15 ms take a tenth of 3 s.
  expect(resting.nextEndMs(0, 0.15)).toBe(3_000)
  expect(resting.nextEndMs(0, 10)).toBe(5_000)
  // Rejections have become faster, but connections still stop resting in the order in which they began.
  clock.nowMs = 100
  expect(resting.nextEndMs(100, 0)).toBe(resting.nextEndMs(0, 0))
  expect(resting.nextEndMs(100, 0)).toBeGreaterThan(2_900)
})

test('if the requests on resting connections need more than 64 MiB, the next such request is rejected immediately', () => {
  const { rest, resting, seen } = rests()
  const part = 16 * 1024 * 1024
  const [a, b, c] = ['a', 'b', 'c'].map((name) => rest(name))
  for (const send of [a, b, a, b]) send?.(part)
  expect(seen).toEqual([])
  c?.(1)
  expect(seen).toEqual(['c time'])
  // Reading a request frees its memory on the resting connection.
  resting.readNewest(1, 0)
  expect(seen.at(-1)).toBe('b capacity')
  rest('d')(part)
  expect(seen).toHaveLength(2)
})

test('when the server stops, all connections stop resting', () => {
  const { rest, resting, seen } = rests()
  rest('a')()
  rest('b')
  resting.endAll()
  expect(seen).toEqual(['a time', 'b time'])
  resting.readNewest(5, 0)
  expect(seen).toHaveLength(2)
})

test('when a connection has stopped resting, its entry is removed', () => {
  const { clock, rest, resting, seen } = rests()
  for (let n = 0; n < 10_000; n++) {
    clock.nowMs = n
    rest(`connection ${n}`)()
    if (n % 2 === 0) resting.readNewest(1, 0)
    resting.endDue(n)
  }
  expect(resting.count).toBeLessThanOrEqual(2_000)
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen.length + resting.count).toBe(10_000)
})
