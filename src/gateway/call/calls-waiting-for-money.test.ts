import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Failure } from '#domain/errors.ts'
import { ClientDisconnected } from './client-disconnected-error.ts'
import { WaitingLine, type Place } from './calls-waiting-for-money.ts'

const limits = { waitersMax: 3, waitersInAllMax: 5, lookAgainMs: 200 }
const held = (limitSource = 'balance') =>
  new Failure('balance_held', { limitSource, held: '7', requested: '9' })
const ada = { endUserId: 'ada', mode: 'live', lineId: 'key-1', isPortalLine: false } as const
const place = (fields: Partial<Place> = {}): Place => ({
  key: ada,
  alias: 'acme/smart',
  run: null,
  ...fields,
})

class Client extends EventEmitter {
  destroyed = false
  leave(): void {
    this.destroyed = true
    this.emit('close')
  }
}

let line: WaitingLine
beforeEach(() => {
  vi.useFakeTimers()
  line = new WaitingLine(limits)
})
afterEach(() => {
  assert(line.isEmpty, 'the line is not empty after the test')
  assert.equal(vi.getTimerCount(), 0, 'timers are left after the test')
  vi.useRealTimers()
})

class Room {
  isFree = false
  readonly tries: string[] = []
  readonly ended: string[] = []

  enter(
    name: string,
    fields: Partial<Place> = {},
    options: { client?: Client; withinMs?: number; by?: string } = {},
  ) {
    const { by = 'balance', client = new Client(), withinMs = 2_000 } = options
    const waiting = line.wait(
      place(fields),
      held(by),
      () => {
        this.tries.push(name)
        if (!this.isFree) return Promise.reject(held(by))
        this.isFree = false
        return Promise.resolve(name)
      },
      { withinMs, releasesSeen: line.releases, response: client },
    )
    assert(waiting !== null, 'the line took no call: it is full')
    return waiting.then(
      () => void this.ended.push(`${name} in`),
      (cause: unknown) =>
        void this.ended.push(
          `${name} ${cause instanceof Failure ? cause.code : cause instanceof ClientDisconnected ? 'gone' : String(cause)}`,
        ),
    )
  }

  async release(): Promise<void> {
    this.isFree = true
    line.released(ada)
    await vi.advanceTimersByTimeAsync(0)
  }
}

describe('a release of money that a call held', () => {
  it('each release admits one waiting call, in order of arrival', async () => {
    const room = new Room()
    const all = ['a', 'b', 'c'].map((name) => room.enter(name))
    await room.release()
    expect(room.ended).toEqual(['a in'])
    expect(room.tries).toEqual(['a', 'b'])
    await room.release()
    await room.release()
    await Promise.all(all)
    expect(room.ended).toEqual(['a in', 'b in', 'c in'])
  })

  it('a release wakes no waiting call of another end user, and no waiting call in the other mode (live or test)', async () => {
    const room = new Room()
    const waiting = room.enter('a')
    room.isFree = true
    line.released({ ...ada, endUserId: 'bob' })
    line.released({ ...ada, mode: 'test' })
    await vi.advanceTimersByTimeAsync(0)
    expect(room.tries).toEqual([])
    await room.release()
    await waiting
  })

  it('a call is admitted if money was released between the rejection of its reserve and its entry into the line', async () => {
    const seen = line.releases
    line.released(ada)
    const room = new Room()
    room.isFree = true
    const waiting = line.wait(place(), held(), () => Promise.resolve('in'), {
      withinMs: 2_000,
      releasesSeen: seen,
      response: new Client(),
    })
    expect(await waiting).toBe('in')
  })

  it('a release during a waiting call’s attempt to reserve triggers another attempt', async () => {
    let tries = 0
    const { promise, reject } = Promise.withResolvers<string>()
    const waiting = line.wait(place(), held(), () => (++tries === 1 ? promise : Promise.resolve('in')), {
      withinMs: 2_000,
      releasesSeen: -1,
      response: new Client(),
    })
    line.released(ada)
    reject(held())
    expect(await waiting).toBe('in')
    expect(tries).toBe(2)
  })

  it('a release can admit a call at the back of the line if the calls ahead wait for another source of money or another limit', async () => {
    const other = { ...ada, lineId: 'key-2' }
    const room = new Room()
    const capped = room.enter('capped', {}, { by: 'key_cap' })
    const behind = room.enter('behind', {}, { by: 'key_cap' })
    const aside = room.enter('aside', { key: other }, { by: 'key_cap' })
    line.released(ada)
    await vi.advanceTimersByTimeAsync(0)
    expect(room.tries).toEqual(['capped', 'aside'])
    for (let i = 0; i < 3; i++) await room.release()
    await Promise.all([capped, behind, aside])
    expect(room.ended).toEqual(['capped in', 'behind in', 'aside in'])
  })
})

describe('the place of a new call behind waiting calls', () => {
  it.each([
    ['balance', {}, true],
    ['balance', { alias: 'acme/other', key: { ...ada, lineId: 'key-2' } }, true],
    ['bundle_limit', { key: { ...ada, lineId: 'key-2' } }, true],
    ['on_demand_ceiling', {}, true],
    ['key_cap', {}, true],
    ['key_cap', { key: { ...ada, lineId: 'key-2' } }, false],
    ['portal_total', {}, false],
    ['portal_total', { key: { ...ada, lineId: 'key-2', isPortalLine: true } }, true],
    ['end_user_limit', { key: { ...ada, lineId: 'key-2' } }, true],
    ['outcome_run', { run: 'run-1' }, true],
    ['outcome_run', { run: 'run-2' }, false],
    ['outcome_run', { run: null }, false],
    ['pool', {}, true],
    ['pool', { alias: 'acme/other' }, false],
    ['balance', { key: { ...ada, endUserId: 'bob' } }, false],
    ['balance', { key: { ...ada, mode: 'test' as const } }, false],
  ])(
    'if a call waits because of its %s, a new call with the changed fields %o queues behind the waiting call: %s',
    async (by, fields, isBehind) => {
      const room = new Room()
      const waiting = room.enter('a', { run: 'run-1' }, { by })
      const failure = line.failureBehind(place({ run: 'run-1', ...fields }))
      expect(failure !== null).toBe(isBehind)
      if (failure) expect(failure.details).toEqual({ limitSource: by, held: '7', requested: null })
      await room.release()
      await waiting
      expect(line.failureBehind(place({ run: 'run-1', ...fields }))).toBeNull()
    },
  )
})

describe('how the wait of a call ends', () => {
  it('without a release, all waiting calls retry periodically and are rejected at the timeout', async () => {
    const room = new Room()
    const first = room.enter('a', {}, { withinMs: 1_000 })
    const second = room.enter('b', {}, { withinMs: 1_000 })
    await vi.advanceTimersByTimeAsync(999)
    expect(room.tries).toEqual(['a', 'a', 'a', 'a'])
    await vi.advanceTimersByTimeAsync(1)
    await Promise.all([first, second])
    expect(room.ended).toEqual(['a balance_held', 'b balance_held'])
  })

  it('when a waiting call retries periodically, it finds money that another process has released', async () => {
    const room = new Room()
    const waiting = room.enter('a')
    room.isFree = true
    await vi.advanceTimersByTimeAsync(200)
    await waiting
    expect(room.ended).toEqual(['a in'])
  })

  it('the error of a call that is rejected at the timeout contains the amounts of its newest attempt', async () => {
    const newer = new Failure('balance_held', { limitSource: 'balance', held: '1' })
    const waiting = line.wait(place(), held(), () => Promise.reject(newer), {
      withinMs: 300,
      releasesSeen: line.releases,
      response: new Client(),
    })
    const end = waiting?.catch((cause: unknown) => cause)
    await vi.advanceTimersByTimeAsync(300)
    expect(await end).toBe(newer)
  })

  it('a call whose client disconnects leaves the line, and the calls behind it move up', async () => {
    const room = new Room()
    const client = new Client()
    const gone = room.enter('a', {}, { client })
    const waiting = room.enter('b')
    client.leave()
    await gone
    await vi.advanceTimersByTimeAsync(0)
    expect(room.tries).toEqual(['b'])
    await room.release()
    await waiting
    expect(room.ended).toEqual(['a gone', 'b in'])
  })

  it('a call whose client has already disconnected does not enter the line', async () => {
    const client = new Client()
    client.leave()
    await new Room().enter('a', {}, { client })
    expect(line.isEmpty).toBe(true)
  })

  it('if a reserve attempt is in progress at the timeout, it can still admit the call', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const client = new Client()
    const waiting = line.wait(place(), held(), () => promise, {
      withinMs: 100,
      releasesSeen: -1,
      response: client,
    })
    await vi.advanceTimersByTimeAsync(100)
    client.leave()
    resolve('in')
    expect(await waiting).toBe('in')
  })

  it.each([
    ['the time was up', (): void => {}, 'balance_held'],
    ['its client left', (client: Client): void => client.leave(), 'gone'],
  ])('after %s, an attempt that fails is the last attempt', async (_, leave, end) => {
    const { promise, reject } = Promise.withResolvers<string>()
    const client = new Client()
    let tries = 0
    const waiting = line.wait(place(), held(), () => (tries++, promise), {
      withinMs: 100,
      releasesSeen: -1,
      response: client,
    })
    const ended = waiting?.catch((cause: unknown) => (cause instanceof Failure ? cause.code : 'gone'))
    leave(client)
    await vi.advanceTimersByTimeAsync(100)
    reject(held())
    expect(await ended).toBe(end)
    expect(tries).toBe(1)
  })

  it('an error other than `balance_held` ends the wait immediately', async () => {
    const frozen = new Failure('end_user_frozen')
    const waiting = line.wait(place(), held(), () => Promise.reject(frozen), {
      withinMs: 2_000,
      releasesSeen: -1,
      response: new Client(),
    })
    await expect(waiting).rejects.toBe(frozen)
  })

  it('a stopping server rejects all waiting calls and all new calls', async () => {
    const room = new Room()
    const all = [room.enter('a'), room.enter('b'), room.enter('c', { key: { ...ada, endUserId: 'bob' } })]
    line.close()
    await Promise.all([...all, room.enter('d')])
    expect(room.ended.toSorted()).toEqual(['a draining', 'b draining', 'c draining', 'd draining'])
  })
})

describe('a full line of waiting calls', () => {
  it('an end user can fill only a share of the line with waiting calls, so other end users can still wait', async () => {
    const room = new Room()
    const all = ['a', 'b', 'c'].map((name) => room.enter(name))
    expect(() => room.enter('d')).toThrow('full')
    const bob = { key: { ...ada, endUserId: 'bob' } }
    all.push(room.enter('e', bob), room.enter('f', bob))
    expect(() => room.enter('g', bob)).toThrow('full')
    line.close()
    await Promise.all(all)
  })

  it('a call whose maximum wait is zero is rejected immediately', () => {
    expect(() => new Room().enter('a', {}, { withinMs: 0 })).toThrow('full')
  })
})
