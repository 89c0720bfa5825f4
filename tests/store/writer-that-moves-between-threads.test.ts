/**
 * The writer moves between the main thread and a separate thread while it works. No caller may detect a move, no data
 * may be lost, and no call in flight may end because of a move. SEED runs only the case with the seed that a failure
 * printed.
 */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import type { RowWriter } from '#store/sql/row-runner-interface.ts'
import { MovingWriter, type Parts } from '#store/sqlite/moving-writer.ts'
import type { WriterChoice, WriterPlace } from '#store/sqlite/choose-writer-thread.ts'
import { LedgerStopped } from '#store/ledger/ledger-queue-options.ts'
import type { BatchAnswer } from '#store/ledger/operations-and-results.ts'
import type { InjectedFault } from '#store/ledger/faults-injected-by-tests.ts'
import { type Opened, openTemporary } from '../store-conformance/engines.ts'
import { type Caller, startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { randomFrom, type Random, seedOfRun } from '../support/seeded-random.ts'

type Folder = Opened & { readonly folder: string }
type Options = Parameters<typeof openTemporary>[0]

const opens: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const opened of opens.splice(0)) await opened.close()
})

async function open(options: Partial<Options>): Promise<Folder> {
  const opened = await openTemporary({ writer: 'auto', nowMs: () => startMs, ...options })
  opens.push(opened)
  return opened
}

const other = (place: WriterPlace): WriterPlace => (place === 'inline' ? 'thread' : 'inline')

/** Moves the writer after this share of the commits. */
function byChance(random: Random, share: number): WriterChoice {
  return { committed: (_durationMs, _atMs, place) => (random.chance(share) ? other(place) : place) }
}

interface Books {
  readonly caller: Caller
  posted: bigint
  held: bigint
}

async function useUp(
  world: World,
  books: Books,
  random: Random,
  isEnough: (rounds: number) => boolean,
): Promise<void> {
  const { caller } = books
  const { database, ledger } = world.store
  for (let round = 0; !isEnough(round); round++) {
    const chance = random.next()
    if (chance < 0.1) {
      await database.transaction((tx) =>
        tx
          .updateTable('keys')
          .set({ name: `key ${round}` })
          .where('id', '=', caller.keyId)
          .execute(),
      )
    } else if (chance < 0.2) {
      const micros = BigInt(random.whole(1, 1_000))
      if (await isTaken(world.credit([caller.endUserId], micros))) books.posted += micros
    } else if (chance < 0.25) {
      // After a write has resolved, every reader on any thread finds the written data.
      expect(await world.wallet(caller)).toEqual({ posted: books.posted, held: books.held })
    } else {
      const request = world.request(caller, { input: random.whole(0, 50), output: 100 })
      if (!(await isTaken(world.reserve(request)))) continue
      const worst = BigInt(request.bound.textTokens + 100)
      const { callId } = request
      if (random.chance(0.3)) {
        const { usage } = world.settlement(request, { input: 1, output: 7 })
        ledger.checkpoint({ callId, usage })
      }
      let more = 0n
      if (
        random.chance(0.3) &&
        (await isTaken(ledger.extend({ callId, nowMs: startMs, moreOutputTokens: 50 })))
      ) {
        more = 50n
      }
      if (random.chance(0.05)) {
        books.held += worst + more
      } else if (random.chance(0.1)) {
        await world.release(request)
      } else {
        const output = random.whole(0, 100)
        const settled = await world.settle(request, { input: 0, output })
        expect(settled.chargeMicros).toBe(BigInt(output))
        books.posted -= settled.chargeMicros
        expect(settled.walletPostedMicros).toBe(books.posted)
      }
    }
  }
}

/** False if the error stated that nothing was written. */
async function isTaken(operation: Promise<unknown>): Promise<boolean> {
  try {
    await operation
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(error).not.toBeInstanceOf(LedgerStopped)
    // An unavailable store rejects calls immediately, so callers that retried without a pause would leave it no time to
    // recover.
    await new Promise(setImmediate)
    return false
  }
}

/** Runs at least `roundsMin` rounds, until the writer has moved `movesMin` times and `hasMet` returns true. */
async function property(
  options: Partial<Options>,
  random: Random,
  {
    roundsMin,
    movesMin,
    onBegin = () => {},
    hasMet = () => true,
  }: { roundsMin: number; movesMin: number; onBegin?: () => void; hasMet?: () => boolean },
): Promise<void> {
  let moves = 0
  const opened = await open({
    ...options,
    onMoved: () => {
      moves += 1
    },
    onMoveFault: (error) => {
      throw error
    },
  })
  const world = new World(opened.store, { nowMs: startMs })
  await world.found()
  const people: Books[] = []
  for (let i = 0; i < 6; i++) {
    people.push({ caller: await world.person(1_000_000n), posted: 1_000_000n, held: 0n })
  }
  // Each end user has a call in flight from the beginning to the end.
  for (const books of people) {
    await world.reserve(world.request(books.caller, { input: 10, output: 20 }))
    books.held += 30n
  }
  const isEnough = (rounds: number): boolean => rounds >= roundsMin && moves >= movesMin && hasMet()
  onBegin()
  await Promise.all(people.map((books) => useUp(world, books, random, isEnough)))
  for (const books of people) {
    expect(await world.wallet(books.caller)).toEqual({ posted: books.posted, held: books.held })
  }
  await opened.verify()

  // A move ends no call, so all calls in flight still belong to the first process.
  const inFlight = await opened.store.database.read.selectFrom('holds').select('epoch').execute()
  expect(new Set(inFlight.map(({ epoch }) => epoch))).toEqual(new Set([1]))
  await opened.store.close()
  const after = await open({ writer: 'inline', folder: opened.folder })
  expect(after.store.recovered.calls).toBe(inFlight.length)
  await after.closeSound()
}

describe('moves at random moments under load', () => {
  const seed = seedOfRun()

  test(`while the writer moves, faults at any kind of step lose no money (SEED=${seed})`, async () => {
    const random = randomFrom(seed)
    const faults: readonly InjectedFault[] = ['busy', 'full', 'io']
    let isOn = false
    let isBroken = false
    let met = 0
    await property(
      {
        choice: byChance(random, 0.3),
        faults: () => {
          // An unavailable disk remains unavailable for several steps.
          isBroken = isOn && random.chance(isBroken ? 0.7 : 0.03)
          if (isBroken) met += 1
          return isBroken ? random.pick(faults) : null
        },
        queue: { backoffMs: () => 0, settleWaitMs: 600_000 },
      },
      random,
      {
        roundsMin: 60,
        movesMin: 20,
        hasMet: () => met >= 20,
        onBegin: () => {
          isOn = true
        },
      },
    )
  })

  test(`while the writer moves between the main thread and real threads, no money is lost (SEED=${seed})`, async () => {
    const random = randomFrom(seed)
    await property({ choice: byChance(random, 0.5) }, random, { roundsMin: 100, movesMin: 4 })
  })
})

test('a call in flight can be settled, extended and released on a thread that did not reserve it', async () => {
  let isAsked = false
  const moved: WriterPlace[] = []
  const opened = await open({
    choice: { committed: (_durationMs, _atMs, place) => (isAsked ? other(place) : place) },
    onMoved: (place) => {
      isAsked = false
      moved.push(place)
    },
  })
  const world = new World(opened.store, { nowMs: startMs })
  await world.found()
  const caller = await world.person(10_000n)
  const move = async (): Promise<void> => {
    const before = moved.length
    isAsked = true
    while (moved.length === before) await world.credit([caller.endUserId], 1n)
  }
  const requests = [1, 2, 3].map(() => world.request(caller, { input: 100, output: 200 }))
  const [first, second, third] = requests
  if (!first || !second || !third) throw new Error('three requests')
  for (const request of requests) await world.reserve(request)
  await move()
  expect((await world.wallet(caller)).held).toBe(900n)
  expect(await world.settle(first, { input: 90, output: 30 })).toMatchObject({ chargeMicros: 120n })
  const extended = await opened.store.ledger.extend({
    callId: second.callId,
    nowMs: startMs,
    moreOutputTokens: 50,
  })
  expect(extended).toMatchObject({ kind: 'extended', worstMicros: 350n })
  await move()
  // The repeated settle returns the result of the first settle.
  expect(await world.settle(first, { input: 90, output: 30 })).toMatchObject({ chargeMicros: 120n })
  expect(await world.settle(second, { input: 90, output: 30 })).toMatchObject({ chargeMicros: 120n })
  await world.release(third)
  expect((await world.wallet(caller)).held).toBe(0n)
  expect(moved).toEqual(['thread', 'inline'])
  await opened.closeSound()
})

/** Records the requests that it receives. */
class Places {
  readonly asked: string[] = []
  readonly opened: WriterPlace[] = []
  readonly faults: Error[] = []
  commit: (durationMs: number) => void = () => {}
  wanted: WriterPlace = 'inline'
  answer: BatchAnswer = { kind: 'results', results: [] }
  fails = false
  /** Batches wait for this promise. */
  turn: Promise<void> = Promise.resolve()

  open(): Promise<MovingWriter> {
    return MovingWriter.open({
      choice: { committed: () => this.wanted },
      onFault: (error) => this.faults.push(error),
      open: async (place, onCommit) => {
        if (this.fails) throw new Error('no room for another')
        this.opened.push(place)
        const parts = this.parts(place)
        this.commit = onCommit
        return parts
      },
    })
  }

  parts(place: WriterPlace): Parts {
    const note = (what: string): void => void this.asked.push(`${what} ${place}`)
    let begun = 0
    const writer: RowWriter = {
      writeSlots: async () => note('writeSlots'),
      begin: async () => {
        note('begin')
        return ++begun
      },
      query: async () => {
        note('query')
        return { rows: [], changes: null }
      },
      commit: async () => note('commit'),
      rollback: async () => note('rollback'),
    }
    return {
      writer: {
        ...writer,
        run: async () => {
          await this.turn
          note('run')
          this.commit(1)
          return this.answer
        },
        resolve: async () => {
          note('resolve')
          return this.answer
        },
        openOfOthers: async () => [],
        takeHours: async () => [],
        peekHours: async () => ({ parts: [], takenHour: null }),
      },
      close: async () => note('close'),
    }
  }
}

test('the number of a finished transaction is never used for another transaction', async () => {
  const places = new Places()
  const writer = await places.open()
  const late = await writer.begin()
  await writer.rollback(late)
  places.wanted = 'thread'
  await writer.run([])
  await writer.run([])
  const current = await writer.begin()
  await expect(writer.query(late, 'DELETE', [])).rejects.toThrow('the transaction is over')
  await expect(writer.commit(late, null)).rejects.toThrow('the transaction is over')
  await writer.rollback(late)
  await writer.query(current, 'SELECT', [])
  await writer.commit(current, null)
  expect(places.asked.filter((asked) => !asked.startsWith('run'))).toEqual([
    'begin inline',
    'rollback inline',
    'close inline',
    'begin thread',
    'query thread',
    'commit thread',
  ])
})

test('a row transaction ends on the thread where it began, and the writer moves afterwards', async () => {
  const places = new Places()
  const writer = await places.open()
  const transaction = await writer.begin()
  places.wanted = 'thread'
  places.commit(1)
  // In the next turn of the event loop, the writer on the other thread is open.
  await new Promise(setImmediate)
  await writer.query(transaction, 'UPDATE', [])
  await writer.commit(transaction, null)
  await writer.run([])
  expect(places.opened).toEqual(['inline', 'thread'])
  expect(places.asked).toEqual([
    'begin inline',
    'query inline',
    'commit inline',
    'close inline',
    'run thread',
  ])
})

test('consecutive row transactions do not prevent the writer from moving', async () => {
  const places = new Places()
  const writer = await places.open()
  const first = await writer.begin()
  places.wanted = 'thread'
  places.commit(1)
  await new Promise(setImmediate)
  // The batch arrives while the transaction is open, and runs afterwards.
  const turn = Promise.withResolvers<void>()
  places.turn = turn.promise
  const running = writer.run([])
  await writer.commit(first, null)
  const second = writer.begin()
  turn.resolve()
  await running
  await writer.commit(await second, null)
  const transactions = places.asked.filter((asked) => !asked.startsWith('close'))
  expect(transactions.slice(-2)).toEqual(['begin thread', 'commit thread'])
})

test('a ledger that has stopped does not start again on another thread', async () => {
  const places = new Places()
  const writer = await places.open()
  places.wanted = 'thread'
  places.answer = { kind: 'stopped', reason: 'the money does not add up' }
  await writer.run([])
  await writer.run([])
  expect(places.asked).toEqual(['run inline', 'run inline'])
})

test('a commit with an unknown result is looked up on the thread that sent it', async () => {
  const places = new Places()
  const writer = await places.open()
  places.wanted = 'thread'
  places.answer = { kind: 'in_doubt' }
  await writer.run([])
  await writer.resolve()
  const transaction = await writer.begin()
  await writer.commit(transaction, null)
  places.answer = { kind: 'results', results: [] }
  await writer.resolve()
  await writer.run([])
  expect(places.asked).toEqual([
    'run inline',
    'resolve inline',
    'begin inline',
    'commit inline',
    'resolve inline',
    'close inline',
    'run thread',
  ])
})

test('if the writer cannot be opened on the other thread, it does not move, and the failure is reported', async () => {
  const places = new Places()
  const writer = await places.open()
  places.wanted = 'thread'
  places.fails = true
  await writer.run([])
  await writer.run([])
  expect(places.asked).toEqual(['run inline', 'run inline'])
  expect(places.faults.map(({ message }) => message)).toContain(
    'the other place for the ledger could not be opened',
  )
  await writer.close()
  expect(places.asked.at(-1)).toBe('close inline')
})

test('if the writer is closed while it opens on the other thread, both writers are closed, and no move takes place', async () => {
  const places = new Places()
  const writer = await places.open()
  const transaction = await writer.begin()
  places.wanted = 'thread'
  places.commit(1)
  await writer.close()
  await writer.rollback(transaction)
  expect(places.opened).toEqual(['inline', 'thread'])
  expect(places.asked).toEqual(['begin inline', 'close thread', 'close inline', 'rollback inline'])
})

test('after a kill under load while the writer moves, every acknowledged operation is stored, and no money remains held', async () => {
  const folder = newDataFolder('moving')
  const load = fileURLToPath(new URL('program-with-endless-calls.ts', import.meta.url))
  const child = spawn(process.execPath, [load, folder, 'moving'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = new Promise((resolve) => {
    child.on('exit', resolve)
  })
  const acknowledged: string[] = []
  let moves = 0
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('moved')) moves += 1
    else acknowledged.push(line)
    if (acknowledged.length >= 300 && moves >= 5) child.kill('SIGKILL')
  }
  await exited
  expect(moves).toBeGreaterThanOrEqual(5)
  const after = await open({ writer: 'inline', folder, nowMs: () => startMs + 60_000 })
  const rows = await after.store.database.read
    .selectFrom('usage_records')
    .select(['call_id', 'token_source'])
    .execute()
  const settled = new Set(rows.filter((row) => row.token_source !== 'recovered').map((row) => row.call_id))
  expect(acknowledged.filter((callId) => !settled.has(callId))).toEqual([])
  await after.closeSound()
  rmSync(folder, { recursive: true, force: true })
})
