import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { tokenCounter, type TokenThread } from './token-counter.ts'

class FakeThread extends EventEmitter implements TokenThread {
  readonly asked: { readonly id: number; readonly text: string }[] = []

  postMessage(message: { id: number; text: string }): void {
    this.asked.push(message)
  }

  comesUp(): void {
    this.emit('message', 'up')
  }

  answers(tokens: number): void {
    const first = this.asked.shift()
    if (first === undefined) throw new Error('nothing was asked')
    this.emit('message', { id: first.id, tokens })
  }

  unref(): void {
    this.emit('unref')
  }

  async terminate(): Promise<number> {
    this.emit('exit', 1)
    return 1
  }
}

function fakeCounter() {
  const threads: FakeThread[] = []
  const counter = tokenCounter(() => {
    const thread = new FakeThread()
    threads.push(thread)
    return thread
  })
  const thread = (): FakeThread => {
    const last = threads.at(-1)
    if (last === undefined) throw new Error('no thread was begun')
    return last
  }
  return { counter, threads, thread }
}

const ages = 3_600_000

test('the real tokenizer thread starts, counts and ends', async () => {
  const counter = tokenCounter()
  await counter.start()
  expect(await counter.count('Hello world', 'org_1')).toBe(2)
  const late = counter.count('Hello world', 'org_1')
  await counter.close()
  expect([2, null]).toContain(await late)
})

describe('the token counter, with a clock that the test controls', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  test('a count requested before the thread is ready waits for the thread without a time limit', async () => {
    const { counter, thread } = fakeCounter()
    const count = counter.count('text', 'org_1')
    await vi.advanceTimersByTimeAsync(ages)
    thread().comesUp()
    await vi.advanceTimersByTimeAsync(1)
    thread().answers(7)
    expect(await count).toBe(7)
  })

  test('a count that takes too long is abandoned, and later counts still succeed', async () => {
    const { counter, thread, threads } = fakeCounter()
    const slow = counter.count('slow', 'org_1')
    thread().comesUp()
    await vi.advanceTimersByTimeAsync(ages)
    expect(await slow).toBeNull()
    const next = counter.count('next', 'org_1')
    await vi.advanceTimersByTimeAsync(1)
    thread().answers(1)
    thread().answers(2)
    expect(await next).toBe(2)
    expect(threads).toHaveLength(1)
  })

  test('an abandoned count occupies its place in the queue until the thread has finished the count', async () => {
    const { counter, thread } = fakeCounter()
    const counts = Array.from({ length: 40 }, () => counter.count('text', 'org_1'))
    thread().comesUp()
    await vi.advanceTimersByTimeAsync(ages)
    expect(new Set(await Promise.all(counts))).toEqual(new Set([null]))
    expect(thread().asked.length).toBeLessThan(40)
    const asked = thread().asked.length
    expect(await counter.count('one more', 'org_1')).toBeNull()
    expect(thread().asked).toHaveLength(asked)
    thread().answers(1)
    void counter.count('one more', 'org_1')
    expect(thread().asked).toHaveLength(asked)
  })
})

test('a text that exceeds the limit of the queue is not counted', async () => {
  const { counter, thread } = fakeCounter()
  const long = 'a'.repeat(300_000)
  const counts = Array.from({ length: 6 }, (_, i) => counter.count(long, `org_${i}`))
  thread().comesUp()
  expect(thread().asked).toHaveLength(3)
  for (const _ of [1, 2, 3]) thread().answers(9)
  expect(await Promise.all(counts)).toEqual([9, 9, 9, null, null, null])
})

test('one organization cannot fill the queue, so texts of other organizations are accepted', async () => {
  const { counter, thread } = fakeCounter()
  const flood = Array.from({ length: 20 }, () => counter.count('text', 'org_1'))
  const quiet = Array.from({ length: 8 }, () => counter.count('text', 'org_2'))
  thread().comesUp()
  expect(thread().asked).toHaveLength(16)
  for (let i = 0; i < 16; i++) thread().answers(i)
  expect(await Promise.all(flood)).toEqual([
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    ...Array.from({ length: 12 }, () => null),
  ])
  expect(await Promise.all(quiet)).toEqual([8, 9, 10, 11, 12, 13, 14, 15])
})

test('the long texts of one organization cannot fill the queue, so a long text of another organization is accepted', async () => {
  const { counter, thread } = fakeCounter()
  const long = 'a'.repeat(256 * 1024)
  const flood = Array.from({ length: 4 }, () => counter.count(long, 'org_1'))
  const quiet = counter.count(long, 'org_2')
  thread().comesUp()
  for (const tokens of [1, 2, 3]) thread().answers(tokens)
  expect(await Promise.all(flood)).toEqual([1, 2, null, null])
  expect(await quiet).toBe(3)
})

test('counts fail if the thread ends, and the next count starts another thread', async () => {
  const { counter, thread, threads } = fakeCounter()
  const lost = counter.count('text', 'org_1')
  thread().emit('error', new Error('out of memory'))
  expect(await lost).toBeNull()
  const found = counter.count('text', 'org_1')
  thread().comesUp()
  thread().answers(3)
  expect(await found).toBe(3)
  expect(threads).toHaveLength(2)
})

test('when the counter is closed, all waiting counts return null', async () => {
  const { counter } = fakeCounter()
  const count = counter.count('text', 'org_1')
  await counter.close()
  expect(await count).toBeNull()
  await expect(tokenCounter(() => new FakeThread()).close()).resolves.toBeUndefined()
})
