/** For each fault, the test applies the suggested or a manual fix, and checks that the finding disappears. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checks } from '#operations/doctor/checks/all-checks.ts'
import { Emitters } from '#emitters/send-settled-calls-to-emitters.ts'
import { operations } from '#operations/index.ts'
import { emitterProgress } from '#store/nouns/emitter-progress.ts'
import {
  openControl,
  ready,
  type Control,
  type ControlOptions,
} from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import { reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

interface Found {
  readonly code: string
  readonly severity: string
  readonly resource: { readonly type: string; readonly id: string }
  readonly message: string
  readonly fix: {
    readonly say: string
    readonly call: {
      operation: string
      method: string
      path: string
      body: Record<string, unknown> | null
    } | null
  }
}

/**
 * Users read the sentence in the console and in a terminal. The sentence must contain no API call, because a separate
 * field has the call that fixes the finding.
 */
function expectPlain(sentence: string): void {
  expect(sentence).not.toMatch(/\/v1|\b(?:GET|PUT|POST|PATCH|DELETE)\b/)
  expect(sentence).not.toMatch(/\b[a-z]+[A-Z]\w*\b/)
  expect(sentence).not.toMatch(/\b1 (?:\w+ )?(?:requests|events|searches|were)\b/)
  for (const { id } of operations) if (id.includes('.')) expect(sentence).not.toContain(id)
}

describe.each(testedEngines)('the doctor on %s', (engine) => {
  let control: Control
  let keyId: string
  const open = async (options: ControlOptions = {}): Promise<void> => {
    control = await openControl({ engine, ...options })
    await ready(control)
    keyId = (await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })).body.id
  }
  beforeEach(() => open())
  afterEach(() => control.close())

  const diagnose = async () => {
    const answer = await control.call('GET', '/v1/diagnose')
    expect(answer.status, answer.text).toBe(200)
    for (const { fix, message } of answer.body.findings) {
      expectPlain(message)
      expectPlain(fix.say)
    }
    return answer.body
  }
  /** Excludes the finding about the clock. PostgreSQL's clock moves during the test, and the test's clock does not. */
  const findings = async (): Promise<readonly Found[]> =>
    (await diagnose()).findings.filter(({ code }: Found) => code !== 'clock_skew')
  const codes = async () => (await findings()).map(({ code }) => code)
  const found = async (code: string): Promise<Found> => {
    const all = await findings()
    const finding = all.find((one) => one.code === code)
    assert(finding, `no ${code} among ${JSON.stringify(all)}`)
    return finding
  }
  const mend = async ({ fix: { call } }: Found): Promise<void> => {
    assert(call, 'the finding names a call')
    const answer = await control.call(call.method, call.path, call.body === null ? {} : { body: call.body })
    expect(answer.status, `${call.method} ${call.path}: ${answer.text}`).toBe(200)
  }
  const grant = (amountUnits: string) =>
    control.call('POST', '/v1/grants', { body: { endUsers: ['user-1'], amountUnits, reason: 'test' } })
  const write = (statement: Parameters<Control['database']['transaction']>[0]) =>
    control.database.transaction(statement)

  it('the doctor finds nothing in a healthy application, and lists its checks', async () => {
    const body = await diagnose()
    expect(body).toMatchObject({ application: 'acme', mode: 'live' })
    expect(await findings()).toEqual([])
    expect(body.checks.map(({ name }: { name: string }) => name)).toEqual(checks.map(({ name }) => name))
  })

  it.each<[string, string, (at: Control) => Promise<unknown>]>([
    [
      'router_without_target',
      'error',
      (at) =>
        at.call('PUT', '/v1/routers/acme/best', {
          body: { policy: 'priority', targets: [{ provider: 'main', model: 'gpt-new' }] },
        }),
    ],
    [
      'dimension_unpriced',
      'error',
      (at) =>
        at.call('POST', '/v1/providers/main/price', { body: { model: 'gpt-x', price: { input: '7' } } }),
    ],
    [
      'name_unpriced',
      'error',
      (at) => at.call('POST', '/v1/providers/main/price', { body: { model: 'gpt-x', price: null } }),
    ],
    [
      'name_unpriced',
      'warning',
      (at) =>
        at.call('PUT', '/v1/models/acme/smart', {
          body: {
            sources: [
              { provider: 'main', model: 'gpt-new' },
              { provider: 'main', model: 'gpt-x' },
            ],
          },
        }),
    ],
    [
      'bundle_without_name',
      'warning',
      (at) => at.call('PUT', '/v1/bundles/pro', { body: { displayName: 'Pro' } }),
    ],
    [
      'bundle_without_name',
      'error',
      (at) => at.call('POST', '/v1/bundles/free/deny', { body: { models: ['acme/*'] } }),
    ],
    [
      'name_without_bundle',
      'warning',
      (at) =>
        at.call('PUT', '/v1/models/other', { body: { sources: [{ provider: 'main', model: 'gpt-x' }] } }),
    ],
    [
      'debit_basis_not_set',
      'warning',
      (at) =>
        at.call('POST', '/v1/bundles/free/price', {
          body: { model: 'acme/smart', price: { input: '2000000', output: '8000000' } },
        }),
    ],
    ['name_disabled', 'notice', (at) => at.call('POST', '/v1/models/acme/smart/disable')],
    ['person_frozen', 'notice', (at) => at.call('POST', '/v1/end-users/user-1/freeze')],
    [
      'default_bundle_missing',
      'error',
      (at) =>
        at.database.transaction((tx) =>
          tx.updateTable('applications').set({ default_bundle_id: null }).execute(),
        ),
    ],
    [
      'key_missing',
      'warning',
      (at) => at.database.transaction((tx) => tx.updateTable('keys').set({ expires_at_ms: 1 }).execute()),
    ],
  ])('the doctor finds %s (%s), and the suggested call fixes it', async (code, severity, fault) => {
    await fault(control)
    const finding = await found(code)
    expect(finding.severity).toBe(severity)
    await mend(finding)
    expect(await codes()).not.toContain(code)
  })

  it('if only a bundle has a price for a model name or a router, the doctor lists the assumed rates', async () => {
    const call: Control['call'] = (...asked) => control.call(...asked)
    await call('PATCH', '/v1/bundles/free', { body: { debitBasis: 'sell_price' } })
    const half = { model: 'gpt-x', price: { input: '7', cacheRead: '3' } }
    await call('POST', '/v1/providers/main/price', { body: half })
    const unpriced = await found('dimension_unpriced')
    // The pages show amounts in micros as dollars.
    expect(unpriced.fix.say).toBe(
      'Set the rates that main charges. Replace the example rate of 1000000 micros per million tokens with the rate that the provider charges.',
    )
    const sell = { input: '9', output: '9' }
    await call('POST', '/v1/bundles/free/price', { body: { model: 'acme/smart', price: sell } })
    const model = await found('dimension_unpriced')
    expect([model.severity, model.resource]).toEqual(['warning', { type: 'model', id: 'acme/smart' }])
    expect(model.message).toBe(
      'main has no price for output of gpt-x. The name is served in bundles that set a price for the name. The cost of units without a rate is computed at assumed rates. All known rates apply.',
    )
    await call('POST', '/v1/providers/main/price', { body: { model: 'gpt-x', price: null } })
    expect((await found('name_unpriced')).message).toContain('the sell price is recorded as the cost')
    await call('POST', '/v1/providers/main/price', { body: half })

    const targets = [{ alias: 'acme/smart' }]
    await call('PUT', '/v1/routers/acme/best', { body: { policy: 'priority', targets } })
    expect(await codes()).toContain('router_without_target')
    await call('POST', '/v1/bundles/free/price', { body: { model: 'acme/best', price: sell } })
    const router = (await findings()).find(({ resource }) => resource.type === 'router')
    assert(router)
    expect([router.code, router.severity]).toEqual(['dimension_unpriced', 'warning'])
    expect(router.message).toContain('main has no price for output of gpt-x')
    // The suggested call keeps the rates that the provider account already has.
    expect(router.fix.call?.body).toEqual({
      model: 'gpt-x',
      price: { input: '7', cacheRead: '3', output: '1000000' },
    })
    await mend(router)
    expect(await codes()).toEqual([])
  })

  it('the doctor finds the missing steps of a new application, one after the other, until the application can be called', async () => {
    const token = await control.found('Other')
    const options = { token, app: 'newborn' }
    await control.call('PUT', '/v1/apps/newborn', { token, body: { name: 'Newborn' } })
    const seen: string[] = []
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { body } = await control.call('GET', '/v1/diagnose', options)
      const next: Found | undefined = body.findings.find(({ code }: Found) => code !== 'clock_skew')
      if (next === undefined) break
      seen.push(next.code)
      const { call } = next.fix
      assert(call)
      // oxlint-disable-next-line no-await-in-loop -- as above
      const made = await control.call(call.method, call.path, {
        ...options,
        ...(call.body !== null && { body: call.body }),
      })
      expect(made.status, made.text).toBe(200)
    }
    expect(seen).toEqual([
      'provider_missing',
      'model_missing',
      'default_bundle_missing',
      'bundle_without_name',
      'key_missing',
    ])
  })

  it('a provider account whose key is rejected is reported until the key is rotated or a call succeeds', async () => {
    await grant('1000000000')
    const { id: accountId = '' } =
      (await control.store.read.providers.byLabel(control.organizationId, 'main')) ?? {}
    const fails = async (errorCode: string): Promise<void> => {
      control.clock.nowMs += minuteMs
      const callId = await reserveCall(control, 'acme', keyId, null)
      const application = await control.store.read.applications.bySlug('acme')
      assert(application)
      const trace = JSON.stringify({ attempts: [{ status: 401 }] })
      const at = { nowMs: control.clock.nowMs }
      const record = {
        callId,
        applicationId: application.id,
        mode: 'live' as const,
        endUserId: null,
        keyId,
        alias: 'acme/smart',
        tags: null,
        target: { accountId, provider: 'openai_compatible', model: 'gpt-x' } as const,
        wire: 'chat',
        streamed: false,
        status: 'released' as const,
        httpStatus: 502,
        errorCode,
        atMs: at.nowMs,
        latencyMs: 1,
        firstByteMs: null,
        trace,
      }
      await control.ledger.release({ callId, ...at, record })
    }
    const answers = async (): Promise<void> => {
      control.clock.nowMs += minuteMs
      await settleCall(control, 'acme', await reserveCall(control, 'acme', keyId, null))
    }

    await fails('upstream_unauthorized')
    expect((await found('credential_refused')).message).toContain('in the last request, most recently')
    await fails('upstream_unauthorized')
    const refusedKey = await found('credential_refused')
    expect(refusedKey).toMatchObject({ severity: 'error', resource: { type: 'provider', id: 'main' } })
    expect(refusedKey.message).toContain('in the last 2 requests')
    control.clock.nowMs += minuteMs
    await mend(refusedKey)
    expect(await codes()).toEqual([])

    await fails('upstream_unpaid')
    const usedUp = await found('account_used_up')
    expect(usedUp.message).toContain('1 request was rejected for this reason')
    expect(usedUp.fix.call).toBeNull()
    await answers()
    expect(await codes()).toEqual([])
    await fails('upstream_unpaid')
    expect(await codes()).toEqual(['account_used_up'])
    // The doctor only checks calls of the last day.
    control.clock.nowMs += dayMs + minuteMs
    expect(await codes()).toEqual([])
  })

  it('tokens with more rights than the member who created them are reported to callers who may read tokens', async () => {
    const create = async (email: string, role: 'admin' | 'developer') => {
      const session = await control.join(email, 'admin')
      return control.call('POST', '/v1/application-keys', { session, body: { label: `by ${email}`, role } })
    }
    const outranking = await create('ada@example.com', 'admin')
    await create('bob@example.com', 'developer')
    expect(await codes()).toEqual([])
    await control.call('PATCH', '/v1/team/ada@example.com', { body: { role: 'developer' } })
    const lowered = await found('token_outranks_creator')
    expect(lowered.resource).toEqual({ type: 'token', id: outranking.body.id })
    expect(lowered.message).toContain('ada@example.com, who created it, now has the developer role')
    await control.call('DELETE', '/v1/team/bob@example.com')
    expect(await codes()).toEqual(['token_outranks_creator', 'token_outranks_creator'])
    const { body: ofOne } = await control.call('POST', '/v1/application-keys', {
      body: { label: 'one', application: 'acme' },
    })
    const narrow = await control.call('GET', '/v1/diagnose', { token: ofOne.token })
    expect(narrow.text).not.toContain('token_outranks_creator')
    await mend(lowered)
    const removed = await found('token_outranks_creator')
    expect(removed.message).toContain('bob@example.com, who created it, was removed from the team')
    await mend(removed)
    expect(await codes()).toEqual([])
  })

  it('if a provider states different costs for ten calls, the doctor reports the price until the price is corrected', async () => {
    await grant('1000000')
    const charged = async (statedCostNanos: number): Promise<void> => {
      const callId = await reserveCall(control, 'acme', keyId, null)
      await settleCall(control, 'acme', callId, {}, 'live', { statedCostNanos })
    }
    const disputed = async () => (await control.call('GET', '/v1/health')).body.disputedCosts
    for (let call = 1; call <= 9; call++) await charged(900_000)
    expect(await codes()).toEqual([])
    expect(await disputed()).toEqual([])
    await charged(900_000)
    const finding = await found('cost_disputed')
    expect(finding).toMatchObject({
      severity: 'error',
      resource: { type: 'provider', id: 'main' },
      fix: { call: { body: { model: 'gpt-x', price: { input: '1000000', output: '4000000' } } } },
    })
    expect(finding.message).toContain('9000 micros for the last 10 requests of gpt-x')
    expect(finding.message).toContain('4500 micros')
    const figures = { calls: 10, statedMicros: '9000', costMicros: '4500' }
    expect(await disputed()).toEqual([{ provider: 'main', model: 'gpt-x', ...figures }])

    await control.call('POST', '/v1/providers/main/price', {
      body: { model: 'gpt-x', price: { input: '2000000', output: '8000000' } },
    })
    expect(await codes()).toEqual([])
    expect(await disputed()).toEqual([])
  })

  it('if another model answers a request, the doctor reports both model names for one day', async () => {
    await grant('1000000')
    const answered = async (answeredBy?: string): Promise<string> => {
      const callId = await reserveCall(control, 'acme', keyId, null)
      await settleCall(control, 'acme', callId, answeredBy === undefined ? {} : { route: { answeredBy } })
      return callId
    }
    const substituted = async () => (await control.call('GET', '/v1/health')).body.substitutedModels
    await answered()
    expect([await codes(), await substituted()]).toEqual([[], []])
    await answered('gpt-x-mini')
    const lastRequestId = `req_${await answered('gpt-x-mini')}`
    await answered()
    const finding = await found('model_substituted')
    expect(finding).toMatchObject({
      severity: 'warning',
      resource: { type: 'provider', id: 'main' },
      fix: { call: null },
    })
    expect(finding.message).toContain('main answered 2 requests for gpt-x with gpt-x-mini')
    expect(finding.message).toContain(lastRequestId)
    expect(finding.fix.say).toContain('gpt-x-mini')
    expect(await substituted()).toEqual([
      { provider: 'main', model: 'gpt-x', answeredBy: 'gpt-x-mini', calls: 2, lastRequestId },
    ])
    await answered('gpt-y')
    expect((await substituted()).map(({ answeredBy }: { answeredBy: string }) => answeredBy)).toEqual([
      'gpt-y',
      'gpt-x-mini',
    ])
    // A call whose stated cost differs from the computed cost does not change the finding about substituted models.
    const callId = await reserveCall(control, 'acme', keyId, null)
    await settleCall(control, 'acme', callId, {}, 'live', { statedCostNanos: 900_000 })
    expect(await substituted()).toHaveLength(2)
    control.clock.nowMs += dayMs + minuteMs
    expect([await codes(), await substituted()]).toEqual([[], []])
  })

  it('if the input of a model exceeds its hold, the doctor reports the worst request for one day', async () => {
    await grant('1000000')
    const charged = async (input: number, quote: object, source = {}): Promise<string> => {
      const callId = await reserveCall(control, 'acme', keyId, null)
      const traced = { quote: { textTokensMax: 40, audioTokensMax: 3, imageTokensMax: 7, ...quote } }
      await settleCall(control, 'acme', callId, traced, 'live', { input, ...source })
      return callId
    }
    const tools = { kinds: ['webSearch'], uses: 1, usesMax: 2, tokensPerUse: 100, searchesPerUse: 1 }
    await charged(50, {})
    await charged(250, { tools })
    // The trace of an older version does not contain the hold.
    await charged(900, { textTokensMax: undefined })
    expect(await codes()).toEqual([])
    const worst = await charged(20, {}, { cacheRead: 45 })
    await charged(251, { tools })
    const finding = await found('input_beyond_bound')
    expect(finding).toMatchObject({
      severity: 'warning',
      resource: { type: 'provider', id: 'main' },
      fix: { call: null },
    })
    expect(finding.message).toContain('main reported more input for 2 requests to gpt-x')
    expect(finding.message).toContain(
      `Request req_${worst} had 65 input tokens, but its hold covered at most 50.`,
    )
    control.clock.nowMs += dayMs + minuteMs
    expect(await codes()).toEqual([])
  })

  it('an account that sends more output than the requested maximum is reported for one day', async () => {
    await grant('1000000')
    const callId = await reserveCall(control, 'acme', keyId, null)
    await settleCall(control, 'acme', callId, {}, 'live', { outputBeyond: 2_551 })
    const finding = await found('maximum_ignored')
    expect(finding).toMatchObject({ severity: 'warning', resource: { id: 'main' }, fix: { call: null } })
    expect(finding.message).toMatch(/2551 tokens of gpt-x .* in 1 request\./)
    const { body } = await control.call('GET', `/v1/requests/req_${callId}`)
    expect(body.settle).toMatchObject({ chargeMicros: '450', costMicros: '10654' })
    control.clock.nowMs += dayMs + minuteMs
    expect(await codes()).toEqual([])
  })

  it('a wallet below zero is reported, and the suggested grant brings its balance back to zero', async () => {
    await grant('100')
    await control.ledger.credit({
      grantId: `gr_${control.newId()}`,
      applicationId: (await control.store.read.applications.bySlug('acme'))?.id ?? '',
      mode: 'live',
      nowMs: control.clock.nowMs,
      kind: 'reversal',
      amountMicros: 700n,
      endUserIds: [(await control.call('GET', '/v1/end-users/user-1')).body.id],
      reason: 'charge back',
      idempotencyKey: null,
      requestHash: 'x',
    })
    const finding = await found('balance_negative')
    expect(finding.fix.call?.body).toMatchObject({ endUsers: ['user-1'], amountUnits: '600' })
    await mend(finding)
    expect(await codes()).toEqual([])
    expect((await control.call('GET', '/v1/end-users/user-1')).body.balance.balanceUnits).toBe('0')
  })

  it('amounts that are held longer than a call can last are reported', async () => {
    await grant('1000000')
    const callId = await reserveCall(control, 'acme', keyId, null)
    control.clock.nowMs += 74 * minuteMs
    expect(await codes()).toEqual([])
    control.clock.nowMs += 2 * minuteMs
    expect(await found('held_too_long')).toMatchObject({
      severity: 'error',
      resource: { type: 'request', id: `req_${callId}` },
    })
    await settleCall(control, 'acme', callId)
    expect(await codes()).toEqual([])
  })

  it('a wrong clock is reported', async () => {
    control.clock.nowMs = Date.now()
    await grant('1000')
    const skew = async () => (await diagnose()).findings.find(({ code }: Found) => code === 'clock_skew')
    expect(await skew()).toBeUndefined()
    control.clock.nowMs -= 30_000
    expect((await skew())?.severity).toBe('warning')
    control.clock.nowMs -= dayMs
    expect((await skew())?.severity).toBe('error')
    control.clock.nowMs = Date.now()
    expect(await skew()).toBeUndefined()
  })

  it('a balance that differs from the sum of its entries is reported', async () => {
    await grant('1000')
    await grant('2000')
    const shift = (by: number) => write((tx) => sql`UPDATE sources SET posted = posted + ${by}`.execute(tx))
    await shift(1)
    const finding = await found('ledger_differs')
    expect(finding).toMatchObject({ severity: 'error' })
    expect(finding.message).toMatch(/wallet of eu_\w+ has 3001, and its newest entry leaves 3000/)
    await shift(-1)
    expect(await codes()).toEqual([])
  })

  it('published prices that have not been updated for a long time are reported', async () => {
    await control.call('PUT', '/v1/providers/vendor', {
      body: { kind: 'anthropic', apiKey: 'sk-upstream-0009' },
    })
    await control.call('PUT', '/v1/models/acme/opus', {
      body: { sources: [{ provider: 'vendor', model: 'claude-opus-5-5' }] },
    })
    expect(await codes()).toEqual([])
    const today = control.clock.nowMs
    control.clock.nowMs = today + 120 * dayMs
    expect(await codes()).toEqual(['price_list_old'])
    control.clock.nowMs = today + 400 * dayMs
    const expired = await found('price_expired')
    expect(expired).toMatchObject({ severity: 'warning', resource: { id: 'acme/opus' } })
    await mend(expired)
    // The suggested fix sets the account's own price. The doctor checks only the age of published prices.
    expect(await codes()).toEqual([])
  })

  it('the doctor checks the application and the mode of the request, and no other organization', async () => {
    await control.call('POST', '/v1/end-users/user-1/freeze')
    const test = await control.call('GET', '/v1/diagnose', { mode: 'test' })
    expect(test.body.findings.map(({ code }: Found) => code)).toContain('key_missing')
    const missing = test.body.findings.find(({ code }: Found) => code === 'key_missing')
    expect(missing.fix.call.body).toEqual({ endUserId: 'user-1', livemode: false })
    const token = await control.found('Other')
    expect((await control.call('GET', '/v1/diagnose', { token, app: 'acme' })).status).toBe(404)
  })
})

describe.each(testedEngines)('the doctor and emitters on %s', (engine) => {
  it('an emitter whose deliveries all fail is reported with the usage that it has missed', async () => {
    let status = 500
    const poster = { send: async () => ({ kind: 'answered' as const, status, text: '' }), close() {} }
    const control = await openControl({ engine, poster })
    await ready(control)
    const body = { kind: 'webhook', url: 'https://hooks.example.com/usage', name: 'Billing' }
    const { id } = (await control.call('POST', '/v1/emitters', { body })).body
    const found = async (): Promise<Found[]> =>
      (await control.call('GET', '/v1/diagnose')).body.findings.filter(
        ({ resource }: Found) => resource.type === 'emitter',
      )
    expect(await found()).toEqual([])

    const at = (path: string) => control.call('POST', `/v1/emitters/${id}/${path}`)
    expect((await at('test')).body).toMatchObject({ delivered: false, status: 500, attempts: 3 })
    const progress = emitterProgress(control.database)
    const callId = control.newId()
    const missed = { missedFrom: callId, missedTo: callId, dropped: 1 }
    const nothing = { mark: null, emitterId: id, delivered: 0, rejected: 0, deliveries: [] }
    await progress.save([{ ...nothing, ...missed }])
    const [failing, undelivered, ...none] = await found()
    expect(none).toEqual([])
    expect(failing).toMatchObject({ code: 'emitter_failing', severity: 'error' })
    expect(failing?.message).toContain('it returned 500')
    expect(undelivered).toMatchObject({ code: 'events_not_delivered', severity: 'warning' })
    expect(undelivered?.message).toContain('0 events were not accepted, and 1 event was dropped')
    expect((await control.call('GET', '/v1/health')).body.emitters).toEqual([
      {
        emitterId: id,
        name: 'Billing',
        failingSince: new Date(control.clock.nowMs).toISOString(),
        notDelivered: 0,
        dropped: 1,
      },
    ])

    status = 200
    control.clock.nowMs += minuteMs
    for (const { fix } of [failing, undelivered].filter((one) => one !== undefined)) {
      assert(fix.call)
      // oxlint-disable-next-line no-await-in-loop -- in this order
      const answer = await control.call(
        fix.call.method,
        fix.call.path,
        fix.call.body ? { body: fix.call.body } : {},
      )
      expect(answer.status, answer.text).toBe(200)
    }
    const emitters = new Emitters({
      progress,
      newPoster: () => poster,
      openSecret: () => 'whsec_x',
      derivedSecret: () => 'x',
      openCallIds: () => [],
      isLedgerAway: () => false,
      epoch: (await control.store.read.emitters.replay(id))?.epoch ?? 0,
      isShared: false,
      newId: control.newId,
      nowMs: () => control.clock.nowMs,
      log: { debug() {}, info() {}, warn() {}, error() {} },
    })
    await emitters.start()
    const replay = async () => (await control.call('GET', `/v1/emitters/${id}`)).body.replay
    while ((await replay()).state === 'running') await delay(10)
    await emitters.close()
    expect(await replay()).toMatchObject({ state: 'done', events: 0, reason: null })
    expect(await found()).toEqual([])
    await control.close()
  })
})

describe('checks of the doctor', () => {
  it.each([
    [2 ** 30 - 1, 'warning'],
    [2 ** 28 - 1, 'error'],
  ])('a disk with %i bytes left is reported as %s', async (freeBytes, severity) => {
    let free = freeBytes
    const control = await openControl({ diskSpace: async () => ({ freeBytes: free, totalBytes: 2 ** 40 }) })
    await ready(control)
    const disk = async () =>
      (await control.call('GET', '/v1/diagnose')).body.findings.find(({ code }: Found) => code === 'disk_low')
    expect((await disk()).severity).toBe(severity)
    free = 2 ** 30
    expect(await disk()).toBeUndefined()
    await control.close()
  })

  it('threat 109: a check that cannot run or does not end is reported, and all other checks run', async () => {
    let isBroken = true
    const control = await openControl({
      diskSpace: () => {
        if (isBroken) throw new Error('statfs: input/output error on /secret/path')
        return Promise.resolve({ freeBytes: 2 ** 40, totalBytes: 2 ** 41 })
      },
    })
    await ready(control)
    const answer = await control.call('GET', '/v1/diagnose')
    expect(answer.status).toBe(200)
    expect(answer.text).not.toContain('secret')
    const [finding] = answer.body.findings.filter(({ code }: Found) => code === 'check_failed')
    expect(finding).toMatchObject({ severity: 'warning', resource: { type: 'check', id: 'disk' } })
    const states = answer.body.checks.map(({ state }: { state: string }) => state)
    expect(states.filter((state: string) => state === 'failed')).toHaveLength(1)
    expect(control.internal.splice(0)).toHaveLength(1)
    isBroken = false
    const later = await control.call('GET', '/v1/diagnose')
    expect(later.body.findings.map(({ code }: Found) => code)).not.toContain('check_failed')
    await control.close()
  })

  it('every suggested call has the method and the path of an existing operation', async () => {
    const control = await openControl()
    await control.call('PUT', '/v1/apps/newborn', { body: { name: 'Newborn' } })
    const { body } = await control.call('GET', '/v1/diagnose')
    const calls = body.findings.flatMap(({ fix }: Found) => fix.call ?? [])
    expect(calls.length).toBeGreaterThan(2)
    for (const { method, operation: id, path } of calls) {
      const operation = operations.find((one) => one.id === id)
      const pattern = operation?.path.replaceAll(/\{\w+\}/g, '[^/]+')
      expect([id, operation?.method]).toEqual([id, method])
      expect(path).toMatch(new RegExp(`^${pattern}$`))
    }
    await control.close()
  })
})
