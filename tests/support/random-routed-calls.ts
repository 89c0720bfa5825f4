/**
 * Sends calls through a router of three targets that fail randomly, and checks the records in the store. A row records
 * the called targets, the charge and its price, and the cost of the failed attempts. The seed, the number of the call
 * and the target determine how a target behaves. The fake provider and the test therefore compute the same behavior
 * without communication.
 */
import assert from 'node:assert/strict'
import { attemptsFromText, type StoredAttempt } from '#store/rows/failed-attempts-column.ts'
import { targetFromText } from '#store/rows/json-columns.ts'
import { costMicros, type Rates } from './expected-costs.ts'
import type { Behaviour, FakeCall } from './fake-provider.ts'
import type { Application, Server } from './start-product.ts'
import { randomFrom } from './seeded-random.ts'
import { storedRows } from './read-rows-of-running-store.ts'

export const routedModel = 'acme/routed'

/** The prices do not divide evenly, so that rounding changes the amounts. */
const targets: readonly { readonly model: string; readonly rates: Rates }[] = [
  { model: 'up-plain', rates: { input: 2_500_000n, output: 10_000_001n } },
  { model: 'up-dear', rates: { input: 6_000_001n, output: 30_000_000n } },
  { model: 'up-cheap', rates: { input: 500_000n, output: 2_000_003n } },
]

export const mostExpensiveRates: Rates = { input: 6_000_001n, output: 30_000_000n }

export async function addRouter(app: Application, attempts: object = {}): Promise<void> {
  for (const { model, rates } of targets) {
    const price = { input: String(rates.input), output: String(rates.output) }
    // oxlint-disable-next-line no-await-in-loop -- one change of the configuration after the other
    await app.api('POST', `/v1/providers/${app.slug}/price`, { model, price })
  }
  await app.api('PUT', `/v1/routers/${encodeURIComponent(routedModel)}`, {
    policy: 'priority',
    targets: targets.map(({ model }) => ({ provider: app.slug, model })),
    // The status 418 does not change a target's health. After a 418, circuits remain closed, and the target is still
    // called.
    attempts: { alsoMovesOn: [418], ...attempts },
  })
}

interface Tokens {
  readonly input: number
  readonly output: number
}

/** `tokens` is null if the target reports none. */
export interface Play {
  readonly behaviour: Behaviour
  readonly tokens: Tokens | null
}

export interface PlaySizes {
  readonly failures: number
  readonly inputMax: number
  readonly outputMax: number
  /** Whether some answers and some failures take long enough to be interrupted. */
  readonly isSlow?: boolean
}

export function playOf(seed: number, call: FakeCall, sizes: PlaySizes): Play {
  const place = targets.findIndex(({ model }) => model === call.body?.model)
  const random = randomFrom(seed + 3 * numberOf(call) + place)
  const { failures, inputMax, isSlow = false, outputMax } = sizes
  const output = Math.min(random.whole(1, outputMax), call.body?.max_tokens ?? outputMax)
  const tokens = { input: random.whole(1, inputMax), output }
  const dripMs = isSlow && random.chance(0.3) ? 1 : undefined
  const slowly = dripMs === undefined ? {} : { dripMs }
  if (!random.chance(failures)) {
    const chunkDelayMs = isSlow && random.chance(0.2) ? 20 : 0
    return { behaviour: { chunks: output, chunkDelayMs, usage: reported(tokens) }, tokens }
  }
  const kind = random.whole(1, 10)
  if (kind === 1) return { behaviour: { status: 500, ...slowly }, tokens: null }
  if (kind === 2) return { behaviour: { cutAfterChunks: 0 }, tokens: null }
  if (kind === 3) {
    const empty = { ...tokens, output: 0 }
    return { behaviour: { chunks: [], usage: reported(empty) }, tokens: empty }
  }
  return { behaviour: { status: 418, ...slowly }, tokens: null }
}

function reported({ input, output }: Tokens): object {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
}

export function numberOf({ body }: FakeCall): number {
  return Number(String(body?.['user']).slice('call-'.length))
}

export interface CallRow {
  readonly callId: string
  readonly isCharged: boolean
  /**
   * For a charged call, the source of its usage: `provider_reported`, `estimated` or `recovered`. For an uncharged
   * call, the status of the call.
   */
  readonly how: string
  /** The target that answered, or that was called last. */
  readonly model: string | null
  readonly attempts: readonly StoredAttempt[]
  readonly tokens: Tokens
  readonly chargeMicros: bigint
  readonly costMicros: bigint
  /** Identifies the request. Null if the call was recovered. */
  readonly outputAsked: number | null
  readonly runId: string | null
}

export async function callRows(server: Pick<Server, 'databaseUrl' | 'folder'>): Promise<CallRow[]> {
  const charged = await storedRows(server, `SELECT * FROM usage_records WHERE alias = '${routedModel}'`)
  const uncharged = await storedRows(server, `SELECT * FROM requests WHERE alias = '${routedModel}'`)
  return [...charged.map((row) => rowOf(row, true)), ...uncharged.map((row) => rowOf(row, false))]
}

function rowOf(row: Record<string, string | null>, isCharged: boolean): CallRow {
  const text = (name: string): string | null => row[name] ?? null
  const amount = (name: string): bigint => BigInt(text(name) ?? 0)
  const target = text('target')
  const trace: { quote?: { outputTokensAsked?: number | null } } = JSON.parse(text('trace') ?? '{}')
  return {
    callId: String(row['call_id']),
    isCharged,
    how: String(row[isCharged ? 'token_source' : 'status']),
    model: target === null ? null : targetFromText(target).model,
    attempts: attemptsFromText(text('attempts')),
    tokens: isCharged
      ? { input: Number(row['input_tokens']), output: Number(row['output_tokens']) }
      : { input: 0, output: 0 },
    chargeMicros: isCharged ? amount('charge_micros') : 0n,
    costMicros: amount('cost_micros'),
    outputAsked: trace.quote?.outputTokensAsked ?? null,
    runId: isCharged ? text('run_id') : null,
  }
}

export function recordedTargets({ attempts, isCharged, model }: CallRow): string[] {
  const failed = attempts.map(({ target }) => target.model)
  // An uncharged call lists its last attempt too, unless it had only one attempt, which cost nothing.
  const isLastApart = isCharged || failed.length === 0
  return isLastApart && model !== null ? [...failed, model] : failed
}

/** @param seen the call's requests at the provider, in their order */
export function checkCall(row: CallRow, seen: readonly FakeCall[], play: (call: FakeCall) => Play): void {
  const recorded = recordedTargets(row)
  // If a process dies between a commit and its provider call, the store has recorded an attempt that was never made.
  const isUnsure = row.how === 'recovered' && recorded.length === seen.length + 1
  assert.deepEqual(
    isUnsure ? recorded.slice(0, -1) : recorded,
    seen.map(({ body }) => body?.model),
    `targets of call ${row.callId}`,
  )
  const plays = seen.map(play)
  let costOfAttempts = 0n
  for (const [at, attempt] of row.attempts.entries()) {
    const cost = costAt(attempt.target.model, plays[at]?.tokens ?? null)
    assert.equal(attempt.costMicros, cost, `attempt ${at} of call ${row.callId}`)
    costOfAttempts += cost
  }
  if (row.isCharged) {
    const { model, tokens } = row
    assert(model !== null)
    if (row.how === 'provider_reported')
      assert.deepEqual(tokens, plays.at(-1)?.tokens, `tokens of call ${row.callId}`)
    assert.equal(row.chargeMicros, costAt(model, tokens), `charge of call ${row.callId}`)
  }
  assert.equal(row.costMicros, row.chargeMicros + costOfAttempts, `cost of call ${row.callId}`)
}

function costAt(model: string, tokens: Tokens | null): bigint {
  const target = targets.find((one) => one.model === model)
  assert(target, `${model} is a target`)
  return tokens === null ? 0n : costMicros(target.rates, tokens)
}
