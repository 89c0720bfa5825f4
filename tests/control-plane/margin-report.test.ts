import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FailedAttempt } from '#domain/ledger-interface.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import { invoicedByDay, invoices } from '#store/nouns/billing/invoices.ts'
import { foldCallHours } from '#store/call-sums-by-hour.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import { reserveCall } from '../support/valid-request-of-every-operation.ts'

const hourMs = 3_600_000
const slug = 'acme'

describe.each(testedEngines)('margin on %s', (engine) => {
  let control: Control
  let keyId: string

  beforeEach(async () => {
    control = await openControl({ engine })
    await ready(control)
    keyId = (await call('POST', '/v1/keys', { endUserId: 'user-1' })).id
  })
  afterEach(async () => {
    await control.verify()
    await control.close()
  })

  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks at what is there
  async function call(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await control.call(method, path, body === undefined ? {} : { body })
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200)
    return answer.body
  }

  const month = 'from=2026-11-20&to=2026-12-20'
  const totals = async () => (await call('GET', `/v1/margin?${month}`)).totals
  const grant = (amountUnits: string) =>
    call('POST', '/v1/grants', { endUsers: ['user-1'], amountUnits, reason: 'test' })

  async function topUp(amountMicros: bigint): Promise<void> {
    const application = await control.store.read.applications.bySlug(slug)
    const person = await control.store.read.endUsers.byExternalId(application?.id ?? '', 'user-1')
    const grantId = `gr_${control.newId()}`
    await control.ledger.credit({
      grantId,
      applicationId: application?.id ?? '',
      mode: 'live',
      nowMs: control.clock.nowMs,
      kind: 'topup',
      amountMicros,
      endUserIds: [person?.id ?? ''],
      reason: 'paid',
      idempotencyKey: null,
      requestHash: grantId,
    })
  }

  async function expectAddsUp(): Promise<void> {
    for (const by of ['endUser', 'model', 'bundle', 'provider', 'day', 'key', 'run']) {
      const { data, totals: whole } = await call('GET', `/v1/margin?by=${by}&${month}&limit=200`)
      for (const [name, amount] of Object.entries(whole)) {
        if (name === 'calls' || name === 'marginPercent') continue
        const sum = data.reduce(
          (all: bigint, row: Record<string, string | number>) => all + BigInt(row[name] ?? '0'),
          0n,
        )
        expect(String(sum), `${name} by ${by}`).toBe(String(amount))
      }
    }
  }

  interface Went {
    readonly outputTokens: number
    readonly terms?: Parameters<typeof reserveCall>[4]
    readonly outcome?: Parameters<typeof reserveCall>[3]
    readonly trace?: string
    readonly errorCode?: string
    readonly attempts?: readonly FailedAttempt[]
    readonly accountId?: string
    /** Whether the call ends without a response from any account. */
    readonly isReleased?: boolean
  }

  /** The call costs 4 micros per output token. */
  async function calls(went: Went): Promise<void> {
    const target = { accountId: went.accountId ?? 'pa_main', provider: 'openai_compatible', model: 'gpt-x' }
    const terms = { target, ...went.terms }
    const callId = await reserveCall(control, slug, keyId, went.outcome ?? null, terms)
    const application = await control.store.read.applications.bySlug(slug)
    const story = await control.store.read.requests.story(application?.id ?? '', 'live', callId)
    const { nowMs } = control.clock
    const record = {
      callId,
      applicationId: application?.id ?? '',
      mode: 'live',
      endUserId: story?.call.endUserId ?? null,
      keyId,
      alias: 'acme/smart',
      tags: null,
      target,
      wire: 'chat',
      streamed: true,
      httpStatus: 200,
      errorCode: went.errorCode ?? null,
      atMs: nowMs,
      latencyMs: 100,
      firstByteMs: 10,
      trace: went.trace ?? '["pro",1]',
    } as const
    const attempts = went.attempts === undefined ? {} : { attempts: went.attempts }
    if (went.isReleased === true) {
      await control.ledger.release({ callId, nowMs, record: { ...record, status: 'released' }, ...attempts })
      return
    }
    await control.ledger.settle({
      callId,
      nowMs,
      usage: { ...zeroUsage, output: went.outputTokens },
      tokenSource: 'provider_reported',
      record: { ...record, status: 'settled' },
      ...attempts,
    })
  }

  async function plan(priceMicros: string, include: string | null): Promise<void> {
    await call('PUT', '/v1/bundles/pro', { displayName: 'Pro', priceMicros })
    await call('POST', '/v1/bundles/pro/allow', { models: ['acme/*'] })
    if (include !== null) {
      const of = { slug: 'use', displayName: 'Use', unit: 'micros', amount: include }
      await call('POST', '/v1/bundles/pro/include', of)
    }
    await call('PUT', '/v1/end-users/user-1/subscription', { bundle: 'pro' })
  }

  test('a plan earns its price minus the cost of its usage: $1.00 minus $0.49 leaves $0.51', async () => {
    await plan('1000000', '500000')
    const price = { input: 0n, output: 2_450_000_000n }
    await calls({ outputTokens: 200, terms: { cost: price, sell: price } })
    expect(await totals()).toMatchObject({
      billedMicros: '490000',
      paidFromPlanMicros: '490000',
      subscriptionMicros: '1000000',
      invoicedMicros: '1000000',
      revenueMicros: '1000000',
      marginMicros: '510000',
      marginPercent: '51.00',
    })
    await expectAddsUp()
    const [invoice] = (await call('GET', '/v1/invoices')).data
    await call('POST', `/v1/invoices/${invoice.id}/void`)
    expect(await totals()).toMatchObject({ revenueMicros: '0', marginMicros: '-490000' })
  })

  test('unused days of a void invoice do not reduce the revenue of any month, because they were never paid', async () => {
    for (const [bundle, priceMicros, interval] of [
      ['pro', '60000000', 'month'],
      ['year', '365000000', 'year'],
    ]) {
      await call('PUT', `/v1/bundles/${bundle}`, { displayName: bundle, priceMicros, interval })
      await call('POST', `/v1/bundles/${bundle}/allow`, { models: ['acme/*'] })
    }
    const subscribe = async (bundle: string) =>
      (await call('PUT', '/v1/end-users/user-1/subscription', { bundle })).invoices[0]
    const year = await subscribe('year')
    control.clock.nowMs += 24 * hourMs
    expect(await subscribe('pro')).toMatchObject({
      amountMicros: '0',
      lines: [
        { kind: 'plan', amountMicros: '58000000' },
        { kind: 'unused', amountMicros: '-364000000' },
        { kind: 'carried', amountMicros: '306000000' },
      ],
    })
    await call('POST', `/v1/invoices/${year.id}/void`)
    for (const range of ['from=2026-11-20&to=2026-12-20', 'from=2026-12-20&to=2027-11-30']) {
      for (const by of ['bundle', 'endUser', 'day']) {
        const { data, totals: whole } = await call('GET', `/v1/margin?by=${by}&limit=200&${range}`)
        expect(whole.subscriptionMicros, `${by} ${range}`).toBe('0')
        const earned = data.filter((row: { subscriptionMicros: string }) => row.subscriptionMicros !== '0')
        expect(earned, `${by} ${range}`).toEqual([])
      }
    }
    await expectAddsUp()
  })

  test('the sums of invoices are exact, even if they do not fit into a 64-bit integer', async () => {
    await control.database.transaction(async (tx) => {
      const row = await tx.selectFrom('end_users').selectAll().limit(1).executeTakeFirstOrThrow()
      const ids = Array.from({ length: 10 }, (_, n) => `eu_rich_${n}`)
      await tx
        .insertInto('end_users')
        .values(ids.map((id) => ({ ...row, id, external_id: id })))
        .execute()
      const accounts = ids.map((id) => ({
        end_user_id: id,
        mode: 'live' as const,
        on_demand_enabled: 0 as const,
        invoices: 1,
      }))
      await tx.insertInto('accounts').values(accounts).execute()
      const span = { startsAtMs: control.clock.nowMs, endsAtMs: control.clock.nowMs + 24 * hourMs }
      await invoices(tx).insert(
        ids.map((endUserId, n) => ({
          id: `inv_${endUserId}`,
          applicationId: row.application_id,
          endUserId,
          mode: 'live',
          number: 1,
          cause: 'plan_changed',
          amountMicros: 10n ** 18n - BigInt(n),
          periodStartMs: span.startsAtMs,
          periodEndMs: span.endsAtMs,
          createdAtMs: span.startsAtMs,
          dueAtMs: span.endsAtMs,
          paidAtMs: span.startsAtMs,
          voidedAtMs: null,
          lines: [
            { kind: 'plan', bundle: 'pro', name: 'Pro', ...span, amountMicros: 10n ** 18n - BigInt(n) },
          ],
        })),
      )
    })
    const sum = 10n ** 19n - 45n
    expect(await totals()).toMatchObject({ invoicedMicros: String(sum), subscriptionMicros: String(sum) })
    await expectAddsUp()
    let most = 0
    const counted = control.database.read.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        most = Math.max(most, result.rows.length)
        return result
      },
    })
    const day = Math.floor(control.clock.nowMs / (24 * hourMs))
    const { id: applicationId } = await control.database.read
      .selectFrom('applications')
      .select('id')
      .executeTakeFirstOrThrow()
    const asked = { applicationId, mode: 'live', fromDay: day, toDay: day + 1 } as const
    expect(await invoicedByDay(counted, asked)).toEqual(new Map([[day, sum]]))
    // An application can have thousands of invoices with different amounts on a day.
    expect(most).toBe(1)
  })

  test('if a prepaid wallet is debited at cost, the revenue is the debited amount instead of the list price', async () => {
    await topUp(1_000n)
    await calls({ outputTokens: 10, terms: { sell: { input: 3_000_000n, output: 12_000_000n } } })
    expect(await totals()).toMatchObject({
      billedMicros: '120',
      chargeMicros: '40',
      paidFromWalletMicros: '40',
      costMicros: '40',
      revenueMicros: '40',
      marginMicros: '0',
      marginPercent: '0.00',
    })
    await expectAddsUp()
  })

  test('a refund reduces the revenue of a request, but not its cost', async () => {
    await topUp(1_000n)
    await calls({ outputTokens: 10 })
    expect(await totals()).toMatchObject({ revenueMicros: '40', costMicros: '40', marginMicros: '0' })
    const [{ id }] = (await call('GET', '/v1/requests')).data
    await call('POST', `/v1/requests/${id}/refund`, { reason: 'useless', amountUnits: '15' })
    expect(await totals()).toMatchObject({ revenueMicros: '25', costMicros: '40', marginMicros: '-15' })
    await expectAddsUp()
    await call('POST', `/v1/requests/${id}/refund`, { reason: 'useless' })
    expect(await totals()).toMatchObject({ revenueMicros: '0', costMicros: '40', marginMicros: '-40' })
    await expectAddsUp()
  })

  test('granted credit earns nothing, and is spent before paid money', async () => {
    await topUp(1_000n)
    await grant('30')
    await calls({ outputTokens: 10 })
    expect(await totals()).toMatchObject({
      paidFromGiftMicros: '30',
      paidFromWalletMicros: '10',
      revenueMicros: '10',
      marginMicros: '-30',
      marginPercent: '-300.00',
    })
    await expectAddsUp()
  })

  test('revenue of on-demand usage counts on the day of the usage', async () => {
    await call('PUT', '/v1/outcomes/report', { displayName: 'Report', ceilingMicros: '5000000' })
    await call('POST', '/v1/subscription/on-demand', { endUserId: 'user-1', enabled: true })
    await calls({ outputTokens: 10, outcome: { slug: 'report', runId: 'run-1', ceilingMicros: 5_000_000n } })
    expect(await totals()).toMatchObject({ onDemandMicros: '40', revenueMicros: '40', marginMicros: '0' })
    await expectAddsUp()
    const { data } = await call('GET', `/v1/margin?by=run&${month}`)
    expect(data).toMatchObject([
      { run: { outcome: 'report', runId: 'run-1', endUserId: 'user-1' }, calls: 1, onDemandMicros: '40' },
    ])
    const byKey = await call('GET', `/v1/margin?by=key&${month}`)
    expect(byKey.data).toMatchObject([{ keyId, calls: 1, onDemandMicros: '40' }])
  })

  test('a call that was interrupted and charged counts for its bundle, both before and after the sums of its hour are stored', async () => {
    await grant('1000')
    const trace = JSON.stringify({
      auth: null,
      policy: { bundle: 'pro' },
      refusal: { code: 'upstream_error' },
    })
    await calls({ outputTokens: 10, trace, errorCode: 'upstream_error' })
    for (const hours of [0, 2]) {
      control.clock.nowMs += hours * hourMs
      await foldCallHours(control.database, control.clock.nowMs)
      const { data } = await call('GET', `/v1/margin?by=bundle&${month}`)
      expect(data).toMatchObject([{ bundle: 'pro', calls: 1, chargeMicros: '40' }])
      const series = await call('GET', '/v1/usage/series?by=bundle&bucket=hour&from=2026-11-20&to=2026-11-21')
      expect(series.groups).toMatchObject([{ group: 'pro', totals: { chargedCalls: 1, chargeMicros: '40' } }])
    }
    await expectAddsUp()
  })

  test('a failed attempt is a cost of the account that failed, no matter which account responds', async () => {
    await grant('1000')
    const price = { input: 1_000_000n, output: 4_000_000n }
    const quote = {
      id: 'quote-1',
      cost: price,
      sell: price,
      basis: 'provider_cost',
      credits: null,
      policy: 'hard_token',
      maxOverdraftMicros: 0n,
    } as const
    const failed: FailedAttempt = {
      target: { accountId: 'pa_aa', provider: 'openai', model: 'gpt-x' },
      status: 200,
      failure: null,
      code: 'upstream_error',
      atMs: 0,
      durationMs: 10,
      firstByteMs: 5,
      usage: { ...zeroUsage, input: 50 },
      quote,
    }
    await calls({ outputTokens: 10, accountId: 'pa_bb', attempts: [failed] })
    await calls({ outputTokens: 0, accountId: 'pa_aa', attempts: [failed], isReleased: true })
    for (const hours of [0, 2]) {
      control.clock.nowMs += hours * hourMs
      await foldCallHours(control.database, control.clock.nowMs)
      const { data } = await call('GET', `/v1/margin?by=provider&${month}`)
      expect(data).toMatchObject([
        { provider: 'pa_aa', calls: 0, costMicros: '100', chargeMicros: '0' },
        { provider: 'pa_bb', calls: 1, costMicros: '40', chargeMicros: '40' },
      ])
      const series = await call(
        'GET',
        '/v1/usage/series?by=provider&bucket=day&from=2026-11-20&to=2026-11-21',
      )
      expect(series.groups).toMatchObject([
        { group: 'pa_bb', totals: { chargedCalls: 1, costMicros: '40' } },
        { group: 'pa_aa', totals: { chargedCalls: 0, costMicros: '100' } },
      ])
    }
    await expectAddsUp()
  })
})
