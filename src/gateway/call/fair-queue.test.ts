import { expect, test } from 'vitest'
import { FairQueue } from './fair-queue.ts'

function filled(items: readonly (readonly [path: string, item: number])[]): FairQueue<number> {
  const queue = new FairQueue<number>()
  for (const [path, item] of items) queue.add(path.split('/'), item)
  return queue
}

function allOf(queue: FairQueue<number>): number[] {
  const taken: number[] = []
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item)
  return taken
}

test('organizations take turns, then applications, then end users', () => {
  const queue = filled([
    ['a/1/x', 1],
    ['a/1/x', 2],
    ['a/1/y', 3],
    ['a/2/z', 4],
    ['b/3/w', 5],
    ['b/3/w', 6],
  ])
  expect(allOf(queue)).toEqual([1, 5, 4, 6, 3, 2])
  expect(queue.length).toBe(0)
})

test('a newcomer waits for one turn of each other owner, however many items an owner has', () => {
  const queue = new FairQueue<number>()
  for (let item = 0; item < 1_000; item++) queue.add(['flood', 'app', `user ${item % 10}`], item)
  queue.add(['other', 'app', 'user'], -1)
  expect([queue.take(), queue.take()]).toEqual([0, -1])
})

test('a full queue drops the newest item of the owner with most items', () => {
  const queue = filled([
    ['a/1/x', 1],
    ['a/1/x', 2],
    ['a/1/y', 3],
    ['a/1/x', 4],
    ['b/2/w', 5],
  ])
  expect(queue.makeRoom(['c', '3', 'v'])).toBe(4)
  expect(queue.length).toBe(4)
  expect(allOf(queue)).toEqual([1, 5, 3, 2])
})

test('an owner with most items gets no room from others', () => {
  const queue = filled([
    ['a/1/x', 1],
    ['a/1/x', 2],
    ['b/2/w', 3],
  ])
  expect(queue.makeRoom(['a', '1', 'x'])).toBeUndefined()
  // Another end user of the same organization gets room only from that organization.
  expect(queue.makeRoom(['a', '1', 'y'])).toBe(2)
  expect(queue.makeRoom(['b', '2', 'w'])).toBeUndefined()
  expect(allOf(queue)).toEqual([1, 3])
})

test('removed items are neither taken nor counted', () => {
  const queue = filled([
    ['a/1/x', 1],
    ['a/1/x', 2],
    ['b/2/w', 3],
  ])
  expect(new Set(queue.removeAll((item) => item !== 2))).toEqual(new Set([1, 3]))
  expect(queue.length).toBe(1)
  expect(allOf(queue)).toEqual([2])
})
