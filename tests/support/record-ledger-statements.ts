import pg from 'pg'
import { balances } from '#store/nouns/balances.ts'
import { keys } from '#store/nouns/keys.ts'
import { rateRulesToText } from '#store/rows/json-columns.ts'
import { join, type Member } from '../store-conformance/build-team-with-payer.ts'
import type { Caller, World } from '../store-conformance/add-rows-that-calls-need.ts'
import type { Random } from './seeded-random.ts'

export interface SentStatement {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

/** Without BEGIN and COMMIT. */
export type SentTransaction = readonly SentStatement[]

/** Records only the ledger's transactions, whose statements have names. Call this once in a process. */
export function recordTransactions(): SentTransaction[] {
  const transactions: SentTransaction[] = []
  const open = new WeakMap<pg.Client, SentStatement[]>()
  // oxlint-disable-next-line typescript/unbound-method -- it is applied to the client below
  const query = pg.Client.prototype.query as (...parameters: unknown[]) => unknown
  pg.Client.prototype.query = function (this: pg.Client, ...parameters: unknown[]): unknown {
    const { name, text, values } = parameters[0] as Partial<SentStatement>
    if (name === 'begin') {
      const statements: SentStatement[] = []
      open.set(this, statements)
      transactions.push(statements)
    } else if (name !== undefined && name !== 'commit') {
      open.get(this)?.push({ name, text: text ?? '', values: values ?? [] })
    }
    return Reflect.apply(query, this, parameters)
  } as typeof pg.Client.prototype.query
  return transactions
}

const outcome = { slug: 'report', ceilingMicros: 3_000n }

export async function peopleWithLimits(world: World, count: number): Promise<Caller[]> {
  const { bundleId, store } = world
  await world.found({ spend_limit_micros: 1_000_000n, spend_limit_period: 'month' })
  await world.outcome(outcome.slug, outcome.ceilingMicros)
  // A pool pays for some requests, and a wallet pays for all others.
  await world.include({ slug: 'credit', amount: 20n, member_cap: 15n })
  const callers: Caller[] = []
  for (let made = 0; made < count; made++) {
    // oxlint-disable-next-line no-await-in-loop -- the rows are written one after the other
    const caller = await world.person(1_000_000n, { cap_micros: 900_000n, cap_period: 'day' })
    callers.push(caller)
  }
  const most = 1_000_000n
  const limits = [{ measure: 'tokens', window: 'hour', most, models: null }] as const
  await store.database.transaction(async (tx) => {
    await tx
      .updateTable('bundles')
      .set({ rate_limits: rateRulesToText(limits) })
      .where('id', '=', bundleId)
      .execute()
    for (const { endUserId, keyId, mode } of callers) {
      // oxlint-disable-next-line no-await-in-loop -- see above
      await balances(tx).setLimits(endUserId, mode, [{ window: 'week', micros: 800_000n }], limits)
      // oxlint-disable-next-line no-await-in-loop -- see above
      await keys(tx).setCap(
        { id: keyId, lineId: null, endUserId },
        { capMicros: 900_000n, capPeriod: 'day', limits },
      )
    }
  })
  return callers
}

/** Puts end users into teams: the first end user of each group pays for all others of the group except the last. */
export async function teamsInGroups(
  world: World,
  callers: readonly Caller[],
  groupOf: (endUserId: string) => number,
): Promise<(Caller | Member)[]> {
  const teams = Object.values(Object.groupBy(callers, ({ endUserId }) => groupOf(endUserId)))
  const all: (Caller | Member)[] = []
  for (const [payer, ...others] of teams.map((team) => team ?? [])) {
    if (payer === undefined || others.length < 2) throw new Error('each group has three end users')
    all.push(payer, ...others.splice(-1))
    // oxlint-disable-next-line no-await-in-loop -- the rows are written one after the other
    for (const member of others) all.push(await join(world, payer, member))
  }
  return all
}

/** Makes concurrent calls of random end users: reserve, extend, checkpoint, redirect, then settle or release. */
export async function callsOfEachKind(
  world: World,
  callers: readonly (Caller | Member)[],
  random: Random,
): Promise<void> {
  const { ledger } = world.store
  const call = async (caller: Caller | Member): Promise<void> => {
    const isRun = random.chance(0.5)
    const more = {
      outcome: isRun ? { ...outcome, runId: `run-${random.whole(1, 3)}` } : null,
      ...payerOf(caller),
    }
    const request = world.request(caller, { input: 10, output: 20 }, more)
    const reserved = await world.reserve(request)
    if (reserved.kind !== 'reserved') throw new Error(`the call was not reserved: ${reserved.kind}`)
    const { callId, nowMs, quote } = request
    if (random.chance(0.5)) await ledger.extend({ callId, nowMs, moreOutputTokens: 5 })
    ledger.checkpoint({ callId, usage: world.settlement(request, { input: 10 }).usage })
    if (random.chance(0.3))
      await ledger.redirect({ callId, nowMs, quote, outputTokens: 10, attempts: [], target: request.target })
    if (random.chance(0.3)) await world.release(request)
    else await world.settle(request, { input: 10, output: 15 })
    if (random.chance(0.2)) await world.settle(request, { input: 10, output: 15 }).catch(() => {})
  }
  const refused = async (caller: Caller): Promise<void> => {
    const request = world.request(caller, { input: 1, output: 0 })
    await ledger.record({ ...world.record(request, 'refused'), endUserId: null, keyId: null })
  }
  await Promise.all(
    Array.from({ length: 60 }, () => {
      const caller = random.pick(callers)
      return random.chance(0.2) ? refused(caller) : call(caller)
    }),
  )
}

export function payerOf(caller: Caller | Member): { readonly payerId?: string } {
  return 'payerId' in caller && caller.payerId !== undefined ? { payerId: caller.payerId } : {}
}
