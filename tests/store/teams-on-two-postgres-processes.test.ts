/** Members of a team call two processes. Each store acts as a process. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { withClient } from '#store/postgres/connection.ts'
import { verifyPostgres } from '#store/postgres/verify.ts'
import { openOnPostgres } from '../store-conformance/engines.ts'
import { join, type Member, requestOf } from '../store-conformance/build-team-with-payer.ts'
import { type Caller, startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { hasPostgres } from '../support/start-postgres.ts'
import { randomFrom, seedOfRun, withSeed } from '../support/seeded-random.ts'
import { sampledRuns } from '../support/number-of-property-runs.ts'

type Process = Awaited<ReturnType<typeof openOnPostgres>>

/** The process never updates its row. It counts as dead when another process checks the row for the second time. */
const silent = { beatEveryMs: 2 ** 30, silentMs: 0, sweepEveryMs: 2 ** 30 }
const tokens = { input: 5, output: 5 }

describe.skipIf(!hasPostgres)('teams on two processes', () => {
  const processes: Process[] = []
  let one: Process
  let other: Process
  let world: World

  const start = async (url?: string): Promise<Process> => {
    const started = await openOnPostgres({
      nowMs: () => startMs,
      lease: silent,
      ...(url !== undefined && { url }),
    })
    processes.unshift(started)
    return started
  }

  const addsUp = async (): Promise<void> => {
    const found = await verifyPostgres(one.url)
    expect(found.filter(({ difference }) => difference !== null)).toEqual([])
  }

  beforeEach(async () => {
    one = await start()
    other = await start(one.url)
    world = new World(one.store, { nowMs: startMs })
    await world.found()
  })
  // The store that created the database also drops it, so close it last.
  afterEach(async () => {
    for (const process of processes.splice(0)) await process.close()
  })

  async function teamOf(members: number): Promise<{ payer: Caller; members: Member[] }> {
    const payer = await world.person(0n)
    const joined: Member[] = []
    for (let i = 0; i < members; i++) joined.push(await join(world, payer, await world.person(0n)))
    return { payer, members: joined }
  }

  test('if the balance covers 20, exactly 20 of 100 reserves of 10 members on two processes succeed', async () => {
    for (let round = 0; round < 10; round++) {
      const { payer, members } = await teamOf(10)
      await world.credit([payer.endUserId], 200n, { kind: 'topup' })
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          (i % 2 === 0 ? one : other).store.ledger.reserve(
            requestOf(world, members[(i >> 1) % 10] ?? payerless(), tokens),
          ),
        ),
      )
      expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(20)
      expect(await world.wallet(payer)).toEqual({ posted: 200n, held: 200n })
    }
    await addsUp()
  })

  test('members who change teams while both processes serve them cause no deadlock, and the money adds up', async () => {
    const seed = seedOfRun()
    const { numRuns } = sampledRuns(2_000)
    await withSeed(seed, async () => {
      const random = randomFrom(seed)
      const teams = [await teamOf(3), await teamOf(3), await teamOf(3)]
      const payers = teams.map(({ payer }) => payer)
      const members = teams.flatMap((team) => team.members)
      await world.credit(
        payers.map(({ endUserId }) => endUserId),
        1_000_000n,
        { kind: 'topup' },
      )
      let ended = 0
      const serve = async (process: Process): Promise<void> => {
        const at = random.whole(0, members.length - 1)
        const member = members[at] ?? payerless()
        const request = requestOf(world, member, { input: random.whole(0, 9), output: random.whole(1, 9) })
        const { kind } = await process.store.ledger.reserve(request)
        if (random.chance(0.1)) members[at] = await join(world, random.pick(payers), member)
        if (random.chance(0.05))
          await world.credit(
            payers.map(({ endUserId }) => endUserId),
            1n,
          )
        if (kind !== 'reserved') return
        if (random.chance(0.2)) await process.store.ledger.release(released(request))
        else await process.store.ledger.settle(world.settlement(request, { output: 1 }))
        ended += 1
      }
      const released = (request: ReturnType<typeof requestOf>) => ({
        callId: request.callId,
        nowMs: startMs,
        record: world.record(request, 'released'),
      })
      const lines = Array.from({ length: 16 }, async (_, line) => {
        for (let i = 0; i < numRuns / 16; i++) await serve(line % 2 === 0 ? one : other)
      })
      await Promise.all(lines)
      expect(ended).toBeGreaterThan(numRuns / 3)
      for (const payer of payers) expect((await world.wallet(payer)).held).toBe(0n)
      await addsUp()
    })
  })

  test("while another session has locked a payer, requests of other end users continue; a member's operations continue when the lock ends", async () => {
    const {
      payer,
      members: [member = payerless()],
    } = await teamOf(1)
    const free = await world.person(1_000n)
    const { ledger } = one.store
    await withClient({ url: one.url, access: 'write', isPatient: true }, async (session) => {
      await session.query('BEGIN')
      await session.query('SELECT FROM end_users WHERE id = $1 FOR UPDATE', [payer.endUserId])
      // The ledger does not predict that this credit also needs the payer.
      const crediting = world.credit([member.endUserId], 10n)
      for (let call = 0; call < 5; call++) {
        const request = world.request(free, tokens)
        expect((await ledger.reserve(request)).kind).toBe('reserved')
        await ledger.settle(world.settlement(request, { input: 5, output: 3 }))
      }
      expect(ledger.isAway).toBe(false)
      expect(await world.wallet(member)).toEqual({ posted: 0n, held: 0n })
      await session.query('COMMIT')
      await crediting
    })
    expect(await world.wallet(member)).toEqual({ posted: 10n, held: 0n })
    expect(await world.wallet(free)).toEqual({ posted: 960n, held: 0n })
    await addsUp()
  })

  test('the holds of a process that dies return to the payer', async () => {
    const { payer, members } = await teamOf(2)
    await world.credit([payer.endUserId], 100n, { kind: 'topup' })
    for (const member of members) {
      expect(await world.reserve(requestOf(world, member, tokens))).toMatchObject({ kind: 'reserved' })
    }
    expect(await world.wallet(payer)).toEqual({ posted: 100n, held: 20n })
    expect(await other.store.sweeper.sweep()).toMatchObject({ ended: [one.store.epoch], calls: 2 })
    // The provider may have read the input of the call, so the input is charged.
    expect(await world.wallet(payer)).toEqual({ posted: 90n, held: 0n })
    await addsUp()
  })
})

function payerless(): never {
  throw new Error('the test has a member for every call')
}
