/**
 * Source: docs/reference/threats.md "Changes take effect immediately" and docs/reference/rules.md "Configuration is
 * never stale". After the control plane's response, no later call uses the previous state.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { costMicros } from '../support/expected-costs.ts'
import {
  arrival,
  eventually,
  makeApplication,
  settledBalance,
  startServer,
  upstreamModel,
  type Answer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { sizeOf } from '../support/start-several-processes.ts'

/** tests/long/changes-apply-to-next-call.test.ts runs more trials. */
const trials = sizeOf('REVOCATIONS', 5)
const credit = 1_000_000_000n
const body = { max_tokens: 20 }

let server: LocalServer
let app: Application
let bystander: User
let stopLoad: () => Promise<void>

beforeAll(async () => {
  // The ledger's writer runs on a separate thread, because the delay between a change and the next call is then
  // longest.
  server = await startServer({ environment: { TOLLGATE_WRITER: 'thread' } })
  app = await makeApplication(server)
  bystander = await app.newUser({ balanceMicros: credit })
  stopLoad = runLoad(4)
})
afterAll(async () => {
  await stopLoad()
  await app.provider.close()
  await server.close()
})

/** Sends calls without a pause, so that caches are filled and batches are never empty. */
function runLoad(loops: number): () => Promise<void> {
  const stop = new AbortController()
  const running = Array.from({ length: loops }, async (_, i) => {
    // oxlint-disable-next-line no-await-in-loop -- one call after the other, in each of the loops
    while (!stop.signal.aborted) await app.call(bystander, { ...body, stream: i % 2 === 0 })
  })
  return async () => {
    stop.abort()
    await Promise.all(running)
  }
}

/** `late` returns the results of the calls that began after `since`. */
function watch(user: User): { since(): void; late(): Promise<Answer[]> } {
  let isLate = false
  const stop = new AbortController()
  const late: Answer[] = []
  const running = Array.from({ length: 2 }, async () => {
    while (!stop.signal.aborted) {
      const wasLate = isLate
      // oxlint-disable-next-line no-await-in-loop -- one call after the other
      const answer = await app.call(user, body)
      if (wasLate) late.push(answer)
    }
  })
  return {
    since: () => (isLate = true),
    async late() {
      await eventually(async () => expect(late.length).toBeGreaterThanOrEqual(2))
      stop.abort()
      await Promise.all(running)
      return late
    },
  }
}

const outcomeOf = (answer: Answer): string =>
  answer.status === 200 ? 'served' : String(answer.body.error.code)

/** Returns the outcomes of the calls that began after the change. */
async function changed(user: User, change: () => Promise<unknown>): Promise<Set<string>> {
  const calls = watch(user)
  await change()
  calls.since()
  const next = await app.call(user, body)
  return new Set([next, ...(await calls.late())].map(outcomeOf))
}

test(`a revoked key is rejected starting with the next call, ${trials} times`, async () => {
  for (let i = 0; i < trials; i++) {
    /* oxlint-disable no-await-in-loop -- one trial after the other */
    const user = await app.newUser({ balanceMicros: credit })
    expect((await app.call(user, body)).status).toBe(200)
    const outcomes = await changed(user, () => app.api('DELETE', `/v1/keys/${user.keyId}`))
    expect(outcomes, `trial ${i}`).toEqual(new Set(['key_revoked']))
    await settledBalance(user)
    /* oxlint-enable no-await-in-loop */
  }
})

test(`threat 10: a deleted end user is rejected starting with the next call, ${trials} times`, async () => {
  for (let i = 0; i < trials; i++) {
    /* oxlint-disable no-await-in-loop -- one trial after the other */
    const user = await app.newUser({ balanceMicros: credit })
    expect((await app.call(user, body)).status).toBe(200)
    const path = `/v1/end-users/${user.externalId}`
    const outcomes = await changed(user, () => app.api('DELETE', path))
    expect(outcomes, `trial ${i}`).toEqual(new Set(['key_revoked']))
    /* oxlint-enable no-await-in-loop */
  }
})

describe(`changes back and forth, ${trials} times`, () => {
  test('freezing and unfreezing an end user applies to the next call', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    for (let i = 0; i < trials / 2; i++) {
      /* oxlint-disable no-await-in-loop -- one trial after the other */
      const path = `/v1/end-users/${user.externalId}`
      expect(await changed(user, () => app.api('POST', `${path}/freeze`))).toEqual(
        new Set(['end_user_frozen']),
      )
      expect(await changed(user, () => app.api('POST', `${path}/unfreeze`))).toEqual(new Set(['served']))
      /* oxlint-enable no-await-in-loop */
    }
    await settledBalance(user)
  })

  test('setting a cap of 0 and removing it applies to the next call', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const cap = (capMicros: string | null) => app.api('POST', `/v1/keys/${user.keyId}/cap`, { capMicros })
    for (let i = 0; i < trials / 2; i++) {
      /* oxlint-disable no-await-in-loop -- one trial after the other */
      expect(await changed(user, () => cap('0'))).toEqual(new Set(['spend_limit_exceeded']))
      expect(await changed(user, () => cap(null))).toEqual(new Set(['served']))
      /* oxlint-enable no-await-in-loop */
    }
    await settledBalance(user)
  })

  test('a new price applies to the next call', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    let rates = app.rates
    for (let i = 0; i < trials; i++) {
      /* oxlint-disable no-await-in-loop -- one trial after the other */
      rates = { input: BigInt(1_000_000 + i), output: BigInt(9_000_000 - 3 * i) }
      await app.api('POST', `/v1/providers/${app.slug}/price`, {
        model: upstreamModel,
        price: { input: String(rates.input), output: String(rates.output) },
      })
      const before = await settledBalance(user)
      expect((await app.call(user, { ...body, stream: i % 2 === 0 })).status).toBe(200)
      const charge = before - (await settledBalance(user))
      expect(charge, `trial ${i}`).toBe(costMicros(rates, { input: 10, output: 3 }))
      /* oxlint-enable no-await-in-loop */
    }
  })
})

test.each([
  ['no limit', []],
  ['a limit that all end users share', [{ measure: 'requests', most: '1000', window: 'day' }]],
])(
  'calls with %s are served while their application’s settings change without a pause',
  async (_name, limits) => {
    const own = await makeApplication(server)
    const user = await own.newUser({ balanceMicros: credit })
    await own.api('PATCH', '/v1/gateway', { limits })
    // Loading these settings takes longer than one change.
    const names = Array.from({ length: 200 }, (_, n) => encodeURIComponent(`acme/other-${n}`))
    const sources = [{ provider: own.slug, model: upstreamModel }]
    await Promise.all(names.map((name) => own.api('PUT', `/v1/models/${name}`, { sources })))
    const over = new AbortController()
    const changes = Array.from({ length: 8 }, async (_, loop) => {
      const price = { input: '1', output: '1' }
      while (!over.signal.aborted)
        // oxlint-disable-next-line no-await-in-loop -- one change after the other, in each of the loops
        await own.api('POST', `/v1/providers/${own.slug}/price`, { model: `other-${loop}`, price })
    })
    const outcomes = new Set<string>()
    const calls = Array.from({ length: 8 }, async () => {
      // oxlint-disable-next-line no-await-in-loop -- one call after the other, in each of the loops
      for (let sent = 0; sent < 10; sent++) outcomes.add(outcomeOf(await own.call(user, body)))
    })
    await Promise.all(calls)
    over.abort()
    await Promise.all(changes)
    await own.provider.close()
    expect(outcomes).toEqual(new Set(['served']))
  },
)

test('threat 12: a key is rejected exactly from its expiry on', async () => {
  const served = async (lifeMs: number): Promise<number> => {
    const expiresAtMs = Date.now() + lifeMs
    const minted = { balanceMicros: credit, expiresAt: new Date(expiresAtMs).toISOString() }
    const user = await app.newUser(minted).catch((error: unknown) => {
      // A key that has already expired cannot be created.
      if (Date.now() < expiresAtMs) throw error
      return null
    })
    if (user === null) return 0
    for (let count = 0; ; count++) {
      // The test waits until shortly before the key expires.
      // oxlint-disable-next-line no-await-in-loop -- once
      if (count === 1) await delay(Math.max(0, expiresAtMs - Date.now() - 100))
      const startedAtMs = Date.now()
      // oxlint-disable-next-line no-await-in-loop -- until it is refused
      const outcome = outcomeOf(await app.call(user, body))
      if (startedAtMs >= expiresAtMs) expect(outcome).toBe('key_expired')
      if (Date.now() < expiresAtMs) expect(outcome).toBe('served')
      if (outcome === 'served') continue
      // oxlint-disable-next-line no-await-in-loop -- once
      await settledBalance(user)
      return count
    }
  }
  // A busy machine may serve no call before the key expires, so all later keys live longer.
  for (let lifeMs = 2_000, most = 0; most === 0; lifeMs *= 4) {
    // oxlint-disable-next-line no-await-in-loop -- all at once
    most = Math.max(...(await Promise.all(Array.from({ length: 20 }, () => served(lifeMs)))))
  }
})

test('threats 10 and 12: a call in flight ends and is charged, even if its key has changed', async () => {
  const own = await makeApplication(server, { provider: app.provider })
  await stopLoad()
  for (const change of ['revoke', 'freeze', 'remove', 'price'] as const) {
    /* oxlint-disable no-await-in-loop -- one after the other */
    const user = await own.newUser({ balanceMicros: credit })
    const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }
    app.provider.enqueue({ hang: 'mid', usage })
    const arrived = arrival(app.provider)
    const running = own.call(user, { ...body, stream: true })
    await arrived
    if (change === 'revoke') await own.api('DELETE', `/v1/keys/${user.keyId}`)
    else if (change === 'remove') await own.api('DELETE', `/v1/end-users/${user.externalId}`)
    else if (change === 'freeze') await own.api('POST', `/v1/end-users/${user.externalId}/freeze`)
    else {
      const price = { input: '90000000', output: '90000000' }
      await own.api('POST', `/v1/providers/${own.slug}/price`, { model: upstreamModel, price })
    }
    app.provider.release()
    expect((await running).status).toBe(200)
    // The charge uses the price that was valid at the time of the hold.
    const charge = costMicros(own.rates, { input: 10, output: 20 })
    if (change === 'remove') {
      // Threat 11: the end of a call does not reactivate a deleted end user or their key.
      expect(outcomeOf(await own.call(user, body))).toBe('key_revoked')
      const { data } = await own.api('GET', `/v1/end-users/${user.endUserId}/ledger`)
      expect(data[0]).toMatchObject({ kind: 'usage_debit', balanceAfterUnits: String(credit - charge) })
    } else expect(await settledBalance(user), change).toBe(credit - charge)
    /* oxlint-enable no-await-in-loop */
  }
  stopLoad = runLoad(4)
})

describe('a call that was rejected is served as soon as a change allows it', () => {
  const source = (own: Application) => ({ sources: [{ provider: own.slug, model: upstreamModel }] })
  const model = 'acme/new'

  test('adding, removing, disabling, enabling, denying or allowing a model name applies to the next call', async () => {
    const own = await makeApplication(server, { provider: app.provider })
    const user = await own.newUser({ balanceMicros: credit })
    const path = `/v1/models/${encodeURIComponent(model)}`
    const steps: readonly (readonly [string, string, object | undefined, string])[] = [
      ['PUT', path, source(own), 'served'],
      ['POST', `${path}/disable`, undefined, 'model_disabled'],
      ['POST', `${path}/enable`, undefined, 'served'],
      ['POST', '/v1/bundles/basic/deny', { models: [model] }, 'model_not_allowed'],
      ['POST', '/v1/bundles/basic/allow', { models: [model] }, 'served'],
      ['PUT', path, { sources: [{ provider: own.slug, model: 'unpriced' }] }, 'model_unpriced'],
      ['PUT', path, source(own), 'served'],
      ['DELETE', path, undefined, 'model_not_found'],
      ['PUT', path, source(own), 'served'],
    ]
    expect(outcomeOf(await own.call(user, { ...body, model }))).toBe('model_not_found')
    for (const [method, target, change, outcome] of steps) {
      /* oxlint-disable no-await-in-loop -- one step after the other */
      await own.api(method, target, change)
      expect(outcomeOf(await own.call(user, { ...body, model })), `${method} ${target}`).toBe(outcome)
      const listed = await fetch(`${own.gateway}/v1/models`, {
        headers: { authorization: `Bearer ${user.key}` },
      })
      const isListed = (await listed.text()).includes(`"${model}"`)
      // A model name that lacks only a price may be listed.
      if (outcome !== 'model_unpriced') expect(isListed, `${method} ${target}`).toBe(outcome === 'served')
      /* oxlint-enable no-await-in-loop */
    }
  })

  test('a model name is served with the next call after it gets a price from the account or from the bundle', async () => {
    const own = await makeApplication(server, { provider: app.provider })
    const user = await own.newUser({ balanceMicros: credit })
    await own.api('PUT', `/v1/models/${encodeURIComponent(model)}`, {
      sources: [{ provider: own.slug, model: 'unpriced-1' }],
    })
    expect(outcomeOf(await own.call(user, { ...body, model }))).toBe('model_unpriced')
    const price = { input: '1000000', output: '2000000' }
    await own.api('POST', '/v1/bundles/basic/price', { model, price })
    expect(outcomeOf(await own.call(user, { ...body, model }))).toBe('served')
    await own.api('POST', '/v1/bundles/basic/price', { model, price: null })
    expect(outcomeOf(await own.call(user, { ...body, model }))).toBe('model_unpriced')
    await own.api('POST', `/v1/providers/${own.slug}/price`, { model: 'unpriced-1', price })
    expect(outcomeOf(await own.call(user, { ...body, model }))).toBe('served')
  })

  test('an end user without money can send a large body after the model becomes free, or after a move to a bundle where it is free', async () => {
    const own = await makeApplication(server, { provider: app.provider })
    const user = await own.newUser()
    const price = (input: string, output: string) =>
      own.api('POST', `/v1/providers/${own.slug}/price`, { model: upstreamModel, price: { input, output } })
    const large = { ...body, messages: [{ role: 'user', content: 'x'.repeat(100_000) }] }
    expect(outcomeOf(await own.call(user, large))).toBe('insufficient_credit')
    await price('0', '0')
    expect(outcomeOf(await own.call(user, large))).toBe('served')
    await price('1000000', '2000000')
    expect(outcomeOf(await own.call(user, large))).toBe('insufficient_credit')
    await own.api('PUT', '/v1/bundles/free', { displayName: 'Free', debitBasis: 'sell_price' })
    await own.api('POST', '/v1/bundles/free/allow', { models: ['acme/*'] })
    await own.api('POST', '/v1/bundles/free/price', {
      model: own.model,
      price: { input: '0', output: '0' },
    })
    await own.api('PUT', `/v1/end-users/${user.externalId}/subscription`, { bundle: 'free' })
    expect(outcomeOf(await own.call(user, large))).toBe('served')
  })

  test('a change of an end user’s bundle and a new outcome apply to the next call', async () => {
    const own = await makeApplication(server, { provider: app.provider })
    const user = await own.newUser({ balanceMicros: credit })
    await own.api('PUT', '/v1/bundles/none', { displayName: 'None' })
    const move = (bundle: string) =>
      own.api('PUT', `/v1/end-users/${user.externalId}/subscription`, { bundle })
    const svc = { outcome: 'report', outcome_id: 'run-1' }
    expect(outcomeOf(await own.call(user, { ...body, svc }))).toBe('not_found')
    await own.api('PUT', '/v1/outcomes/report', { displayName: 'Report', ceilingMicros: '1000000' })
    expect(outcomeOf(await own.call(user, { ...body, svc }))).toBe('served')
    await move('none')
    expect(outcomeOf(await own.call(user, body))).toBe('model_not_allowed')
    await move('basic')
    expect(outcomeOf(await own.call(user, body))).toBe('served')
  })
})
