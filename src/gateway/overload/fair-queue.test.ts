import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { FairQueue, itemsInTurn } from './fair-queue.ts'

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

test('in the queue, organizations take turns, then the applications of an organization, then the end users of an application', () => {
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

test('a new owner waits for one turn of each other owner, regardless of the number of items of other owners', () => {
  const queue = new FairQueue<number>()
  for (let item = 0; item < 1_000; item++) queue.add(['flood', 'app', `user ${item % 10}`], item)
  queue.add(['other', 'app', 'user'], -1)
  expect([queue.take(), queue.take()]).toEqual([0, -1])
})

test('applications that are blocked keep their items, and their turns go to other applications', () => {
  const queue = filled([
    ['a/1/x', 1],
    ['a/2/y', 2],
    ['b/3/z', 3],
    ['a/1/x', 4],
  ])
  const blocked = new Set(['1', '3'])
  expect(queue.take((application) => blocked.has(application))).toBe(2)
  expect(queue.take((application) => blocked.has(application))).toBeUndefined()
  expect(queue.length).toBe(3)
  expect(queue.take((application) => application === '1')).toBe(3)
  expect(allOf(queue)).toEqual([1, 4])
})

test('a full queue drops the newest item of the owner with the most items', () => {
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

test('a full queue drops no item for an owner that already has the most items', () => {
  const queue = filled([
    ['a/1/x', 1],
    ['a/1/x', 2],
    ['b/2/w', 3],
  ])
  expect(queue.makeRoom(['a', '1', 'x'])).toBeUndefined()
  // A full queue makes room for another end user of the same organization only by dropping an item of that
  // organization.
  expect(queue.makeRoom(['a', '1', 'y'])).toBe(2)
  expect(queue.makeRoom(['b', '2', 'w'])).toBeUndefined()
  expect(allOf(queue)).toEqual([1, 3])
})

test('among organizations with equally many items, room for an end user is made in the own organization', () => {
  const items = [
    ['a/1/x', 1],
    ['a/1/x', 2],
    ['b/2/w', 3],
    ['b/2/w', 4],
  ] as const
  expect(filled(items).makeRoom(['a', '1', 'y'])).toBe(2)
  expect(filled(items).makeRoom(['b', '2', 'v'])).toBe(4)
})

/** Returns how many entries of maps and sets are visited during `work`. */
function visitsDuring(work: () => void): number {
  const iterators: { next: () => unknown }[] = [new Map().values(), new Set().values()].map((one) =>
    Object.getPrototypeOf(one),
  )
  const spies = iterators.map((iterator) => vi.spyOn(iterator, 'next'))
  work()
  const visits = spies.reduce((all, { mock }) => all + mock.calls.length, 0)
  for (const spy of spies) spy.mockRestore()
  return visits
}

test.each([1, 64, 4_096])(
  'the decision which item to drop takes the same work with %d end users in the queue',
  (endUsers) => {
    const queue = new FairQueue<number>()
    for (let item = 0; item < 4_096; item++) queue.add(['a', '1', `user ${item % endUsers}`], item)
    const visits = visitsDuring(() => {
      expect(queue.makeRoom(['a', '1', 'user 0'])).toBeUndefined()
      if (endUsers < 4_096) expect(queue.makeRoom(['b', '2', 'x'])).toBeGreaterThan(0)
    })
    // A decision visits at most the first entry of each of the three levels.
    expect(visits).toBeLessThanOrEqual(12)
  },
)

test('the dropped item is always the newest of an owner with the most items on each level', () => {
  const path = fc.tuple(fc.nat(2), fc.nat(2), fc.nat(4))
  const step = fc.record({ path, kind: fc.constantFrom('add', 'add', 'add', 'take', 'drop', 'remove') })
  const check = fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
    const queue = new FairQueue<{ readonly owner: readonly string[]; readonly at: number }>()
    let waiting: { readonly owner: readonly string[]; readonly at: number }[] = []
    const isSame = (one: readonly string[], other: readonly string[]): boolean => one.join() === other.join()
    const countOf = (owner: readonly string[]): number =>
      waiting.filter((item) => owner.every((name, level) => item.owner[level] === name)).length
    for (const [at, { kind, path: numbers }] of steps.entries()) {
      const owner = numbers.map(String)
      if (kind === 'add') {
        const item = { owner, at }
        queue.add(owner, item)
        waiting.push(item)
      } else if (kind === 'remove') {
        const removed = new Set(queue.removeAll((item) => item.at % 3 === 0))
        expect(removed.size).toBe(waiting.filter((item) => item.at % 3 === 0).length)
        waiting = waiting.filter((item) => !removed.has(item))
      } else {
        const gone = kind === 'take' ? queue.take() : queue.makeRoom(owner)
        if (kind === 'take') expect(gone === undefined).toBe(waiting.length === 0)
        if (kind === 'drop' && gone !== undefined) {
          for (const level of [1, 2, 3]) {
            const prefix = gone.owner.slice(0, level)
            const siblings = waiting
              .filter((item) => prefix.slice(0, -1).every((name, above) => item.owner[above] === name))
              .map((item) => countOf(item.owner.slice(0, level)))
            expect(countOf(prefix)).toBe(Math.max(...siblings))
          }
          expect(gone.at).toBe(
            Math.max(...waiting.filter((item) => isSame(item.owner, gone.owner)).map((item) => item.at)),
          )
          expect(gone.owner).not.toEqual(owner)
        }
        waiting = waiting.filter((item) => item !== gone)
      }
      expect(queue.length).toBe(waiting.length)
    }
  })
  const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31)
  process.stdout.write(`dropped items of the fair queue: FC_SEED=${seed}\n`)
  fc.assert(check, { numRuns: 100, seed })
})

test('removed items are neither taken from the queue nor counted', () => {
  const queue = filled([
    ['a/1/x', 1],
    ['a/1/x', 2],
    ['b/2/w', 3],
  ])
  expect(new Set(queue.removeAll((item) => item !== 2))).toEqual(new Set([1, 3]))
  expect(queue.length).toBe(1)
  expect(allOf(queue)).toEqual([2])
})

test.each([
  [1, 1],
  [15, 1],
  [16, 2],
  [63, 7],
  [64, 8],
  [5_000, 8],
])('with %d end users in the queue, the turn of one end user has %d items', (endUsers, items) => {
  expect(itemsInTurn(endUsers)).toBe(items)
})

test('with many end users, each end user takes several items in one turn, in order, and then waits for all other end users', () => {
  const queue = new FairQueue<number>()
  for (let item = 0; item < 20; item++) queue.add(['a', '1', 'x'], item)
  for (let user = 0; user < 63; user++) queue.add(['a', '1', `user ${user}`], 100 + user)
  const taken = allOf(queue)
  expect(taken.slice(0, 9)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 100])
  expect(taken.slice(9, 71)).toEqual(Array.from({ length: 62 }, (_, at) => 101 + at))
  expect(taken.slice(71)).toEqual(Array.from({ length: 12 }, (_, at) => 8 + at))
})

test('a turn of several items does not delay other organizations and applications', () => {
  const queue = new FairQueue<string>()
  for (let user = 0; user < 64; user++)
    for (let item = 0; item < 8; item++) queue.add(['a', '1', `user ${user}`], 'a/1')
  for (let item = 0; item < 4; item++) queue.add(['a', '2', 'x'], 'a/2')
  for (let item = 0; item < 8; item++) queue.add(['b', '3', 'y'], 'b')
  const taken = Array.from({ length: 16 }, () => queue.take())
  expect(taken.filter((_, at) => at % 2 === 1)).toEqual(Array.from({ length: 8 }, () => 'b'))
  expect(taken.filter((_, at) => at % 4 === 2)).toEqual(Array.from({ length: 4 }, () => 'a/2'))
})

/**
 * Each connection adds a new item as soon as its previous item is taken. The owners are random, as if each connection
 * served the calls of all end users.
 * @returns for each taken item, the number of items that were taken while it waited
 */
function waitsInLoop(connections: number, endUsers: number, random: () => number): number[] {
  const queue = new FairQueue<number>()
  const add = (at: number): void => queue.add(['a', '1', `user ${Math.floor(random() * endUsers)}`], at)
  for (let at = 0; at < connections; at++) add(0)
  const waits: number[] = []
  for (let at = 0; at < 20 * connections; at++) {
    const addedAt = queue.take() ?? expect.unreachable()
    if (at >= 10 * connections) waits.push(at - addedAt)
    add(at)
  }
  return waits.toSorted((one, other) => one - other)
}

test('items of 2,000 connections for 1,000 end users wait less than twice as long as in order of arrival', () => {
  let state = 12_345
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
  const waits = waitsInLoop(2_000, 1_000, random)
  const p99 = waits[Math.floor(waits.length * 0.99)] ?? 0
  // If items were taken in the order of arrival, each item would wait for 1,999 other items. If each turn had only one
  // item, the 99th percentile would be 7,296 items.
  expect(p99).toBeLessThan(3_500)
})

test('each owner gets its share, and an end user waits for at most one turn of each other end user', () => {
  const users = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 120 })
  const check = fc.property(fc.array(users, { minLength: 1, maxLength: 3 }), (applications) => {
    const queue = new FairQueue<string>()
    for (const [app, counts] of applications.entries())
      for (const [user, count] of counts.entries())
        for (let item = 0; item < count; item++) queue.add(['a', `${app}`, `${user}`], `${app}/${user}`)
    const first = new Map<string, number>()
    const inApplication = applications.map(() => 0)
    for (let at = 0; queue.length > 0; at++) {
      const path = queue.take() ?? expect.unreachable()
      const app = Number(path.split('/')[0])
      if (!first.has(path)) first.set(path, inApplication[app] ?? 0)
      inApplication[app] = (inApplication[app] ?? 0) + 1
      // For applications of one organization that still have waiting items, the numbers of taken items differ by at
      // most one.
      const others = inApplication.filter((taken, other) => taken < sum(applications[other] ?? []))
      if (others.length > 0) expect(Math.max(...others) - Math.min(...others)).toBeLessThanOrEqual(1)
    }
    for (const [path, at] of first) {
      const [app, user] = path.split('/').map(Number)
      const before = (applications[app ?? 0] ?? []).slice(0, user)
      const size = itemsInTurn(applications[app ?? 0]?.length ?? 0)
      expect(at).toBeLessThanOrEqual(sum(before.map((count) => Math.min(count, size))))
    }
  })
  const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31)
  process.stdout.write(`turns of the fair queue: FC_SEED=${seed}\n`)
  fc.assert(check, { numRuns: 200, seed })
})

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0)
}
