import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  costMicros,
  countedInput,
  countedOutput,
  countedOutputTold,
  min,
  worstMicros,
} from '../support/expected-costs.ts'
import { dayWithRoom } from '../support/wait-past-midnight.ts'
import type { FakeProvider } from '../support/fake-provider.ts'
import {
  expire,
  arrival,
  eventually,
  framesOf,
  makeApplication,
  settledBalance,
  startServer,
  textsOf,
  upstreamModel,
  type Answer,
  type Application,
  type ApplicationOptions,
  type LocalServer,
  type User,
} from '../support/start-product.ts'

let server: LocalServer
let provider: FakeProvider

// Monthly ceilings start again with each month, so the test must not run past midnight.
beforeAll(dayWithRoom)
beforeAll(async () => {
  server = await startServer()
  provider = (await makeApplication(server)).provider
})
afterAll(async () => {
  await provider.close()
  await server.close()
})
beforeEach(() => provider.script({}))

const make = (options: ApplicationOptions = {}): Promise<Application> =>
  makeApplication(server, { provider, ...options })

function answersUse(input: number, output: number): void {
  provider.script({
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  })
}

function explain(app: Application, answer: Answer): Promise<Answer['body']> {
  return app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
}

function errorOf(answer: Answer): Answer['body'] {
  return answer.status === 200 ? framesOf(answer.text).find((frame) => frame.error)?.error : answer.body.error
}

const stream = { stream: true }

describe('a stream without a maximum', () => {
  const outputTokens = 400
  // The gateway's estimate of tokens depends on the length of the chunks: short, typical and long.
  const shapes = [[' a'], [' word', ' or', ' two'], [' antidisestablishmentarianism, so to speak']]

  test.each(shapes.map((chunks) => ({ chunks })))(
    'under hard_token, a stream without a maximum is cut at 98 % of its hold, and never costs more than the hold ($chunks)',
    async ({ chunks }) => {
      const app = await make({ outputTokens })
      const body = app.bodyOf(stream)
      const held = worstMicros(app.rates, body, outputTokens)
      const user = await app.newUser({ balanceMicros: held })
      provider.script({ isEndless: true, chunks, chunkDelayMs: 1 })
      const answer = await app.call(user, stream)
      expect(errorOf(answer)).toMatchObject({
        code: 'spend_limit_exceeded',
        reason: 'reservation exhausted mid-stream',
        limitSource: 'reservation',
        limit: String(held),
      })
      const texts = textsOf(answer.text)
      const cost = costMicros(app.rates, { input: countedInput(body), output: countedOutput(texts) })
      const charge = min(held, cost)
      expect(charge * 100n).toBeGreaterThanOrEqual(held * 98n)
      expect(await settledBalance(user)).toBe(held - charge)
    },
  )

  test.each([1n, 3_000n])(
    'under grace, a stream without a maximum continues until its overdraft of %s micros is used up',
    async (overdraft) => {
      const bundle = { terminationPolicy: 'grace', maxOverdraftMicros: String(overdraft) }
      const app = await make({ outputTokens, bundle })
      const body = app.bodyOf(stream)
      const held = worstMicros(app.rates, body, outputTokens)
      const user = await app.newUser({ balanceMicros: held })
      provider.script({ isEndless: true, chunks: [' some', ' more'], chunkDelayMs: 1 })
      const answer = await app.call(user, stream)
      expect(errorOf(answer).code).toBe('spend_limit_exceeded')
      const texts = textsOf(answer.text)
      const cost = costMicros(app.rates, { input: countedInput(body), output: countedOutput(texts) })
      const charge = min(held + overdraft, cost)
      expect(charge * 100n).toBeGreaterThanOrEqual((held + overdraft) * 98n)
      const balance = await settledBalance(user)
      expect(balance).toBe(held - charge)
      expect(balance).toBeGreaterThanOrEqual(-overdraft)
      // An end user in debt cannot make another call.
      const next = await app.call(user, stream)
      expect([next.status, next.body.error.code]).toEqual([402, 'insufficient_credit'])
    },
  )

  test('under complete_message, a stream without a maximum is never cut, and the actual cost is charged', async () => {
    const app = await make({ outputTokens, bundle: { terminationPolicy: 'complete_message' } })
    const held = worstMicros(app.rates, app.bodyOf(stream), outputTokens)
    const user = await app.newUser({ balanceMicros: held })
    const chunks = Array.from({ length: 3_000 }, (_, i) => ` word${i}`)
    const usage = { prompt_tokens: 11, completion_tokens: 3_456, total_tokens: 3_467 }
    provider.script({ chunks, usage })
    const answer = await app.call(user, stream)
    expect(textsOf(answer.text)).toEqual(chunks)
    expect(errorOf(answer)).toBeUndefined()
    const charge = costMicros(app.rates, { input: 11, output: 3_456 })
    expect(charge).toBeGreaterThan(held)
    expect(await settledBalance(user)).toBe(held - charge)
  })

  test.each([
    ['at a pace', { chunkDelayMs: 1 }],
    ['all chunks immediately', {}],
  ])(
    'the first estimate does not cut a stream, because its hold grows while money is available (%s)',
    async (_, pace) => {
      const app = await make({ outputTokens: 50 })
      const user = await app.newUser({ balanceMicros: 10_000_000n })
      // The chunks have 12,000 tokens by the gateway's count, so the hold is extended more than once.
      const chunks = Array.from({ length: 300 }, (__, i) => ` ${i}`.padEnd(120, ' word'))
      const usage = { prompt_tokens: 11, completion_tokens: 12_001, total_tokens: 12_012 }
      provider.script({ chunks, usage, ...pace })
      const answer = await app.call(user, stream)
      expect(errorOf(answer)).toBeUndefined()
      expect(textsOf(answer.text)).toEqual(chunks)
      expect(await settledBalance(user)).toBe(
        10_000_000n - costMicros(app.rates, { input: 11, output: 12_001 }),
      )
      const { reserve } = await explain(app, answer)
      expect(BigInt(reserve.firstWorstMicros)).toBe(worstMicros(app.rates, app.bodyOf(stream), 50))
      expect(BigInt(reserve.worstMicros)).toBeGreaterThan(
        costMicros(app.rates, { input: 11, output: 12_001 }),
      )
    },
  )

  test.each([
    ['the balance', {}, 60_000n],
    ['the cap of the key', { capMicros: 40_000n }, 40_000n],
  ])('the hold of a stream grows up to %s, and the stream is cut there', async (_, options, limit) => {
    const app = await make({ outputTokens: 50 })
    const user = await app.newUser({ balanceMicros: 60_000n, ...options })
    provider.script({ isEndless: true, chunks: [' some', ' more'], chunkDelayMs: 1 })
    const answer = await app.call(user, stream)
    expect(errorOf(answer).code).toBe('spend_limit_exceeded')
    const charge = 60_000n - (await settledBalance(user))
    const { reserve } = await explain(app, answer)
    const held = BigInt(reserve.worstMicros)
    // The remaining hold does not cover another token.
    expect(held).toBeLessThanOrEqual(limit)
    expect(held + 11n).toBeGreaterThan(limit)
    const body = app.bodyOf(stream)
    const texts = textsOf(answer.text)
    expect(charge).toBe(
      min(held, costMicros(app.rates, { input: countedInput(body), output: countedOutput(texts) })),
    )
    expect(charge * 100n).toBeGreaterThanOrEqual(held * 98n)
  })

  test('other calls cannot use the amount that a stream holds', async () => {
    const app = await make({ outputTokens })
    const held = worstMicros(app.rates, app.bodyOf(stream), outputTokens)
    const user = await app.newUser({ balanceMicros: held + 5n })
    provider.enqueue({ hang: 'mid' })
    const arrived = arrival(provider)
    const running = app.call(user, stream)
    await arrived
    expect(await user.balance()).toEqual({ balanceMicros: held + 5n, reservedMicros: held })
    // The client allows a call only a few milliseconds, so it does not wait for held money.
    const refused = await app.call(user, stream, { headers: { 'x-stainless-timeout': '0.004' } })
    expect(refused.status).toBe(429)
    expect(refused.body.error).toMatchObject({
      code: 'balance_held',
      limit: String(held + 5n),
      held: String(held),
      available: '5',
      requested: String(worstMicros(app.rates, app.bodyOf(stream), 1)),
    })
    provider.release()
    await running
    expect(await settledBalance(user)).toBe(held + 5n - costMicros(app.rates, { input: 10, output: 3 }))
  })
})

describe('a provider with a maximum', () => {
  test('a provider that respects its maximum is not cut, even if the answer spends the hold to the last micro', async () => {
    const app = await make()
    const max_tokens = 300
    const body = { ...stream, max_tokens }
    const held = worstMicros(app.rates, app.bodyOf(body), max_tokens)
    const user = await app.newUser({ balanceMicros: held })
    const input = app.bodyOf(body).length + 72
    provider.script({
      chunks: max_tokens,
      finishReason: 'length',
      usage: { prompt_tokens: input, completion_tokens: max_tokens, total_tokens: input + max_tokens },
    })
    const answer = await app.call(user, body)
    expect(errorOf(answer)).toBeUndefined()
    expect(textsOf(answer.text)).toHaveLength(max_tokens)
    expect(await settledBalance(user)).toBe(0n)
  })

  test.each([
    ['no usage', {}],
    [
      'a usage before most of its output',
      { usage: { prompt_tokens: 5, completion_tokens: 1 }, usageAt: 'middle' },
    ],
  ] as const)(
    'a provider that ignores its maximum and reports %s is cut, and the end user pays at most the hold',
    async (_, behaviour) => {
      const app = await make()
      const max_tokens = 100
      const body = { ...stream, max_tokens }
      const held = worstMicros(app.rates, app.bodyOf(body), max_tokens)
      const user = await app.newUser({ balanceMicros: held })
      provider.script({ isEndless: true, chunks: [' abcde'], chunkDelayMs: 1, ...behaviour })
      const answer = await app.call(user, body)
      expect(errorOf(answer).code).toBe('spend_limit_exceeded')
      const output = countedOutputTold(textsOf(answer.text), max_tokens)
      const charge = min(held, costMicros(app.rates, { input: countedInput(app.bodyOf(body)), output }))
      expect(charge * 100n).toBeGreaterThanOrEqual(held * 98n)
      expect(await settledBalance(user)).toBe(held - charge)
    },
  )

  test('if the balance is low, the provider gets the highest maximum that the balance covers for all choices together', async () => {
    const app = await make()
    const body = { n: 3, max_tokens: 1_000 }
    const balanceMicros = 5_000n
    const user = await app.newUser({ balanceMicros })
    answersUse(10, 30)
    const answer = await app.call(user, body)
    expect(answer.headers.get('x-svc-abort-reason')).toBe('max_tokens_clamped')
    const told = provider.calls.at(-1)?.body?.max_tokens ?? 0
    expect(worstMicros(app.rates, app.bodyOf(body), 3 * told)).toBeLessThanOrEqual(balanceMicros)
    expect(worstMicros(app.rates, app.bodyOf(body), 3 * (told + 1))).toBeGreaterThan(balanceMicros)
    const { reserve } = await explain(app, answer)
    expect(reserve).toMatchObject({
      isClamped: true,
      outputTokensPerChoice: told,
      worstMicros: String(worstMicros(app.rates, app.bodyOf(body), 3 * told)),
    })
    expect(await settledBalance(user)).toBe(balanceMicros - costMicros(app.rates, { input: 10, output: 30 }))
  })

  test('a low balance can reduce the maximum to a single token, and with one micro less the call is rejected', async () => {
    const app = await make()
    const body = { max_tokens: 1_000 }
    const least = worstMicros(app.rates, app.bodyOf(body), 1)
    const just = await app.newUser({ balanceMicros: least })
    expect((await app.call(just, body)).status).toBe(200)
    expect(provider.calls.at(-1)?.body?.max_tokens).toBe(1)
    const short = await app.newUser({ balanceMicros: least - 1n })
    const refused = await app.call(short, body)
    expect(refused.body.error).toMatchObject({
      code: 'insufficient_credit',
      requested: String(least),
      available: String(least - 1n),
    })
    expect(await settledBalance(short)).toBe(least - 1n)
  })
})

describe('the sources that pay', () => {
  async function include(app: Application, fields: object): Promise<void> {
    await app.api('POST', '/v1/bundles/basic/include', {
      slug: 'monthly',
      displayName: 'Monthly',
      unit: 'micros',
      ...fields,
    })
  }

  test('pools pay first, then the wallet, then on-demand, each down to its last micro', async () => {
    const app = await make()
    await include(app, { amount: '1500' })
    const user = await app.newUser({ balanceMicros: 800n })
    await app.api('POST', '/v1/subscription/on-demand', {
      endUserId: user.externalId,
      enabled: true,
      limitMicros: '9000',
    })
    answersUse(100, 40)
    const each = costMicros(app.rates, { input: 100, output: 40 })
    expect(each).toBe(651n)
    const paid = { monthly: 0n, wallet: 0n, on_demand: 0n }
    const left = { monthly: 1500n, wallet: 800n, on_demand: 9000n }
    for (let i = 0; i < 6; i++) {
      /* oxlint-disable no-await-in-loop -- one call after the other */
      const answer = await app.call(user, { max_tokens: 60 })
      expect(answer.status).toBe(200)
      let due = each
      for (const source of ['monthly', 'wallet', 'on_demand'] as const) {
        const part = min(due, left[source])
        paid[source] += part
        left[source] -= part
        due -= part
      }
      expect(await settledBalance(user)).toBe(left.wallet)
      const { ledger } = await explain(app, answer)
      const total = ledger.reduce(
        (sum: bigint, entry: { amountUnits: string }) => sum + BigInt(entry.amountUnits),
        0n,
      )
      expect(total).toBe(-each)
      const subscription = await app.api('GET', `/v1/subscription?endUserId=${user.externalId}`)
      expect(subscription.onDemandSpentMicros).toBe(String(paid.on_demand))
      expect(subscription.pools).toMatchObject([
        {
          slug: 'monthly',
          granted: '1500',
          consumed: String(paid.monthly),
          aliases: paid.monthly > 0n ? [{ requestedModel: app.model, consumed: String(paid.monthly) }] : [],
        },
      ])
      /* oxlint-enable no-await-in-loop */
    }
    expect(paid).toEqual({ monthly: 1500n, wallet: 800n, on_demand: 6n * each - 2300n })
  })

  test('after a pool without a spillover is used up, no other source pays for the model names that the pool covers', async () => {
    const body = { max_tokens: 60 }
    answersUse(100, 40)
    const app = await make()
    const each = costMicros(app.rates, { input: 100, output: 40 })
    const least = worstMicros(app.rates, app.bodyOf(body), 1)
    const amount = 2n * each + least - 1n
    await include(app, { amount: String(amount), thenOnDemand: false, models: ['acme/smart'] })
    await app.api('PUT', '/v1/models/acme%2Fother', {
      sources: [{ provider: app.slug, model: upstreamModel }],
    })
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    await app.api('POST', '/v1/subscription/on-demand', {
      endUserId: user.externalId,
      enabled: true,
      limitMicros: null,
    })
    for (let i = 0; i < 2; i++) {
      // oxlint-disable-next-line no-await-in-loop -- one call after the other
      expect((await app.call(user, body)).status).toBe(200)
    }
    const refused = await app.call(user, body)
    expect(refused.body.error).toMatchObject({
      code: 'insufficient_credit',
      limitSource: 'pool',
      limit: String(amount),
      used: String(2n * each),
      available: String(least - 1n),
      held: '0',
      requested: String(least),
    })
    const { periodEnd } = await app.api('GET', `/v1/subscription?endUserId=${user.externalId}`)
    expect(refused.body.error.resetsAt).toBe(periodEnd)
    expect(await settledBalance(user)).toBe(1_000_000n)
    // The pool does not cover the model name `acme/other`.
    const other = await app.call(user, { ...body, model: 'acme/other' })
    expect(other.status).toBe(200)
    expect(await settledBalance(user)).toBe(1_000_000n - each)
  })

  test.each([
    ['provider_cost', 1n],
    ['sell_price', 3n],
  ])(
    'with the debit basis %s, holds, charges and limits use the price of that basis, and cost and billed amount are recorded',
    async (debitBasis, factor) => {
      const app = await make({ bundle: { debitBasis } })
      const { input, output } = app.rates
      await app.api('POST', '/v1/bundles/basic/price', {
        model: app.model,
        price: { input: String(3n * input), output: String(3n * output) },
      })
      const sell = { input: 3n * input, output: 3n * output }
      const basis = factor === 3n ? sell : app.rates
      const user = await app.newUser({ balanceMicros: 1_000_000n })
      answersUse(33, 44)
      const answer = await app.call(user, { max_tokens: 60 })
      const charge = costMicros(basis, { input: 33, output: 44 })
      expect(await settledBalance(user)).toBe(1_000_000n - charge)
      const { reserve, settle } = await explain(app, answer)
      expect(reserve.worstMicros).toBe(String(worstMicros(basis, app.bodyOf({ max_tokens: 60 }), 60)))
      expect(settle).toMatchObject({
        chargeMicros: String(charge),
        costMicros: String(costMicros(app.rates, { input: 33, output: 44 })),
        billedMicros: String(costMicros(sell, { input: 33, output: 44 })),
      })
      const usage = await app.api('GET', `/v1/usage?endUserId=${user.externalId}`)
      expect(usage.totals).toMatchObject({ calls: 1, inputTokens: 33, outputTokens: 44 })
      expect(usage.totals.billedMicros).toBe(String(costMicros(sell, { input: 33, output: 44 })))
    },
  )
})

describe('a ceiling', () => {
  const body = { max_tokens: 60 }
  const each = { input: 100, output: 40 }

  function nextMonth(): string {
    const now = new Date()
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString()
  }

  /** Returns the charges before the first rejection, and the rejection. */
  async function exhaust(
    app: Application,
    user: User,
    call: () => Promise<Answer>,
  ): Promise<{ spent: bigint; refusal: Answer['body'] }> {
    const start = await settledBalance(user)
    for (let i = 0; i < 20; i++) {
      /* oxlint-disable no-await-in-loop -- one call after the other */
      const answer = await call()
      const spent = start - (await settledBalance(user))
      /* oxlint-enable no-await-in-loop */
      if (answer.status !== 200) return { spent, refusal: answer.body.error }
    }
    throw new Error('nothing was refused')
  }

  test('a ceiling on a key stops only that key, until the month ends', async () => {
    const app = await make()
    answersUse(each.input, each.output)
    const cost = costMicros(app.rates, each)
    const least = worstMicros(app.rates, app.bodyOf(body), 1)
    // The ceiling covers three complete calls, but not a single token of a fourth call.
    const cap = 3n * cost + least - 1n
    const user = await app.newUser({ balanceMicros: 1_000_000n, capMicros: cap })
    const { refusal, spent } = await exhaust(app, user, () => app.call(user, body))
    expect(spent).toBe(3n * cost)
    expect(refusal).toMatchObject({
      code: 'spend_limit_exceeded',
      type: 'insufficient_quota',
      limitSource: 'key_cap',
      limit: String(cap),
      used: String(3n * cost),
      held: '0',
      available: String(least - 1n),
      requested: String(least),
      resetsAt: nextMonth(),
    })
    // The cap of one key does not stop another key of the same end user.
    const second = await app.api('POST', '/v1/keys', { endUserId: user.externalId })
    expect((await app.call(second, body)).status).toBe(200)
    // With one more micro in its cap, the key's call is admitted, with its maximum clamped to the affordable amount.
    await app.api('POST', `/v1/keys/${user.keyId}/cap`, { capMicros: String(cap + 1n) })
    const more = await app.call(user, body)
    expect([more.status, more.headers.get('x-svc-abort-reason')]).toEqual([200, 'max_tokens_clamped'])
  })

  test('a ceiling on a bundle stops all keys of the end user', async () => {
    const app = await make()
    answersUse(each.input, each.output)
    const cost = costMicros(app.rates, each)
    const least = worstMicros(app.rates, app.bodyOf(body), 1)
    const limit = 2n * cost + least - 1n
    await app.api('PATCH', '/v1/bundles/basic', {
      spendLimitMicros: String(limit),
      spendLimitPeriod: 'month',
    })
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    const second = await app.api('POST', '/v1/keys', { endUserId: user.externalId })
    const keys = [user, second]
    let turn = 0
    const { refusal, spent } = await exhaust(app, user, () => app.call(keys[turn++ % 2], body))
    expect(spent).toBe(2n * cost)
    expect(refusal).toMatchObject({
      code: 'spend_limit_exceeded',
      limitSource: 'bundle_limit',
      limit: String(limit),
      used: String(2n * cost),
      held: '0',
      requested: String(least),
      resetsAt: nextMonth(),
    })
    // Another end user on the same bundle has a separate limit.
    const other = await app.newUser({ balanceMicros: 1_000_000n })
    expect((await app.call(other, body)).status).toBe(200)
  })

  test('a ceiling on an outcome caps the run, and a capped run accepts no calls until its ceiling is raised', async () => {
    const app = await make()
    answersUse(each.input, each.output)
    const cost = costMicros(app.rates, each)
    const run = { ...body, svc: { outcome: 'report', outcome_id: 'run-1' } }
    const least = worstMicros(app.rates, app.bodyOf(run), 1)
    const ceiling = 2n * cost + least - 1n
    await app.api('PUT', '/v1/outcomes/report', { displayName: 'Report', ceilingMicros: String(ceiling) })
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    const { refusal, spent } = await exhaust(app, user, () => app.call(user, run))
    expect(spent).toBe(2n * cost)
    expect(refusal).toMatchObject({
      code: 'outcome_capped',
      limitSource: 'outcome_run',
      limit: String(ceiling),
      used: String(2n * cost),
      held: '0',
      requested: String(least),
      run: 'run-1',
      resetsAt: null,
    })
    expect(provider.calls.at(-1)?.body, 'svc is not the provider’s').not.toHaveProperty('svc')
    const { data } = await app.api('GET', '/v1/outcomes/report/runs')
    expect(data).toMatchObject([{ id: 'run-1', status: 'capped', spentMicros: String(2n * cost), calls: 2 }])
    const status = async () => (await app.api('GET', '/v1/outcomes/report/runs')).data[0].status
    const raise = (micros: bigint) =>
      app.api('PUT', '/v1/outcomes/report', { displayName: 'Report', ceilingMicros: String(micros) })
    await raise(ceiling + 1n)
    expect(await status()).toBe('running')
    expect((await app.api('GET', '/v1/outcomes/report/runs?status=capped')).data).toEqual([])
    // A raised ceiling reopens a capped run only when a call arrives. The old ceiling therefore caps the run again.
    await raise(ceiling)
    expect(await status()).toBe('capped')
    expect((await app.call(user, run)).body.error.code).toBe('outcome_capped')
    await raise(1_000_000n)
    expect((await app.call(user, run)).status).toBe(200)
    expect((await app.api('GET', '/v1/outcomes/report/runs')).data).toMatchObject([
      { status: 'running', spentMicros: String(3n * cost), calls: 3 },
    ])
    const next = { ...run, svc: { ...run.svc, outcome_id: 'run-2' } }
    expect((await app.call(user, next)).status).toBe(200)
    expect((await app.call(user, body)).status).toBe(200)
  })

  test('an archived outcome accepts no calls, and its runs remain on record', async () => {
    const app = await make()
    answersUse(each.input, each.output)
    const run = { ...body, svc: { outcome: 'brief', outcome_id: 'run-1' } }
    const define = { displayName: 'Brief', ceilingMicros: '1000000' }
    await app.api('PUT', '/v1/outcomes/brief', define)
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    expect((await app.call(user, run)).status).toBe(200)
    const archived = await app.api('DELETE', '/v1/outcomes/brief')
    expect(archived).toMatchObject({ slug: 'brief', runs: 1, archivedAt: expect.any(String) })
    const refusal = await app.call(user, run)
    expect(refusal.status).toBe(404)
    expect(refusal.body.error).toMatchObject({ code: 'outcome_archived', param: 'svc.outcome' })
    expect(refusal.body.error.message).toContain('archived')
    const unknown = await app.call(user, { ...body, svc: { outcome: 'none', outcome_id: 'run-1' } })
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found'])
    expect((await app.api('GET', '/v1/outcomes/brief/runs')).data).toMatchObject([{ id: 'run-1', calls: 1 }])
    expect(await app.api('DELETE', '/v1/outcomes/brief')).toEqual(archived)
    await app.api('PUT', '/v1/outcomes/brief', define)
    expect((await app.call(user, run)).status).toBe(200)
  })

  test('the ceiling on on-demand billing is the amount that the end user has set', async () => {
    const app = await make()
    answersUse(each.input, each.output)
    const cost = costMicros(app.rates, each)
    const least = worstMicros(app.rates, app.bodyOf(body), 1)
    const ceiling = 2n * cost + least - 1n
    const user = await app.newUser()
    expect((await app.call(user, body)).body.error.code).toBe('insufficient_credit')
    const onDemand = (settings: object) =>
      app.api('POST', '/v1/subscription/on-demand', { endUserId: user.externalId, ...settings })
    await onDemand({ enabled: true, limitMicros: String(ceiling) })
    for (let i = 0; i < 2; i++) {
      // oxlint-disable-next-line no-await-in-loop -- one call after the other
      expect((await app.call(user, body)).status).toBe(200)
    }
    const refused = await app.call(user, body)
    expect(refused.body.error).toMatchObject({
      code: 'spend_limit_exceeded',
      limitSource: 'on_demand_ceiling',
      limit: String(ceiling),
      used: String(2n * cost),
      held: '0',
      requested: String(least),
      resetsAt: nextMonth(),
    })
    expect(await settledBalance(user)).toBe(0n)
    await onDemand({ enabled: true, limitMicros: null })
    expect((await app.call(user, body)).status).toBe(200)
    await onDemand({ enabled: false })
    expect((await app.call(user, body)).body.error.code).toBe('insufficient_credit')
  })

  test('the lowest ceiling applies, and amounts that calls in flight hold count against all ceilings', async () => {
    const app = await make()
    const held = worstMicros(app.rates, app.bodyOf(body), 60)
    const least = worstMicros(app.rates, app.bodyOf(body), 1)
    const user = await app.newUser({ balanceMicros: 1_000_000n, capMicros: held + least - 1n })
    await app.api('PATCH', '/v1/bundles/basic', { spendLimitMicros: String(2n * held) })
    provider.enqueue({ hang: 'body' })
    const arrived = arrival(provider)
    const running = app.call(user, body)
    await arrived
    const refused = await app.call(user, body)
    expect(refused.body.error).toMatchObject({
      limitSource: 'key_cap',
      limit: String(held + least - 1n),
      used: '0',
      held: String(held),
      available: String(least - 1n),
    })
    provider.release()
    expect((await running).status).toBe(200)
    await eventually(async () => expect((await user.balance()).reservedMicros).toBe(0n))
  })

  test('a frozen end user, a revoked key and an expired key are rejected before any limit is checked', async () => {
    const app = await make()
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    await app.api('POST', `/v1/end-users/${user.externalId}/freeze`)
    const frozen = await app.call(user, body)
    expect([frozen.status, frozen.body.error]).toMatchObject([
      403,
      { code: 'end_user_frozen', limitSource: 'end_user', limit: null, requested: null },
    ])
    await app.api('POST', `/v1/end-users/${user.externalId}/unfreeze`)
    expect((await app.call(user, body)).status).toBe(200)
    const { revokedAt } = await app.api('DELETE', `/v1/keys/${user.keyId}`)
    const revoked = await app.call(user, body)
    expect([revoked.status, revoked.body.error]).toMatchObject([401, { code: 'key_revoked', at: revokedAt }])
    const expiresAt = '2026-01-02T03:04:05.000Z'
    const late = await app.newUser()
    await expire(app.server, late.keyId, Date.parse(expiresAt))
    const expired = await app.call(late, body)
    expect([expired.status, expired.body.error]).toMatchObject([401, { code: 'key_expired', at: expiresAt }])
  })

  test('a run that its owner has ended accepts no more calls, and the error differs from the error of a capped run', async () => {
    const app = await make()
    await app.api('PUT', '/v1/outcomes/report', { displayName: 'Report', ceilingMicros: '1000000' })
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    const run = { ...body, svc: { outcome: 'report', outcome_id: 'run-1' } }
    expect((await app.call(user, run)).status).toBe(200)
    await app.api('POST', '/v1/outcomes/report/runs/run-1/finish', { status: 'done' })
    const refused = await app.call(user, run)
    expect([refused.status, refused.body.error]).toMatchObject([
      409,
      { code: 'outcome_finished', limitSource: 'outcome_run', run: 'run-1' },
    ])
  })
})
