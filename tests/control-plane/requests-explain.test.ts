import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { textOfTrace } from '#explain/convert-trace-to-text.ts'
import type { Trace } from '#explain/sections-of-trace.ts'
import type { RequestRecord } from '#domain/ledger-interface.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import { explainToEndUser } from '#operations/requests/explain/explain-request.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import { reserveCall } from '../support/valid-request-of-every-operation.ts'

const attempt = { failure: null, provider: 'openai_compatible', account: 'pa_1', model: 'gpt-x' }

const limits = [
  {
    name: 'key_cap',
    scope: 'key_1',
    limitMicros: '5000',
    usedMicros: '4980',
    heldMicros: '10',
    resetsAtMs: Date.UTC(2026, 11, 1),
  },
]

const trace: Trace = {
  auth: null,
  policy: {
    bundle: 'free',
    terminationPolicy: 'hard_token',
    debitBasis: 'provider_cost',
    configVersion: 3,
    limits,
  },
  quote: {
    quoteId: 'q',
    textTokensMax: 100,
    textTokensBy: 'bytes',
    audioTokensMax: 0,
    imageTokensMax: 0,
    inputTokensEstimated: 80,
    outputTokensAsked: 200,
    choices: 1,
    serviceTier: null,
    canReport: { cacheWrite: true, cacheWriteLong: true, audioOutput: false, imageOutput: false },
  },
  reserve: {
    worstMicros: '900',
    firstWorstMicros: '900',
    worstCredits: '0',
    outputTokensPerChoice: 200,
    isClamped: false,
    waitedMs: 40,
    walletPostedMicros: '1000000',
    walletHeldMicros: '1000',
    legs: [{ sourceId: 'wallet', kind: 'wallet', unit: 'micros', amount: '900', micros: '900' }],
  },
  route: null,
  attempts: [
    { ...attempt, status: 529, durationMs: 412, atMs: 5, connectMs: 3, firstByteMs: 410 },
    { ...attempt, status: 200, durationMs: 1_000, atMs: 420, connectMs: 1, firstByteMs: 100 },
  ],
  stream: {
    end: 'left',
    firstByteMs: 530,
    firstTokenMs: 540,
    lastTokenMs: 1_540,
    longestGapMs: 90,
    bytes: 4_096,
    clientLeftAtMs: 900,
  },
  refusal: null,
}

describe.each(testedEngines)('requests.explain on %s', (engine) => {
  let control: Control
  let keyId: string
  let accountId: string
  let application: NonNullable<Awaited<ReturnType<Control['store']['read']['applications']['bySlug']>>>
  let endUserId: string
  beforeEach(async () => {
    control = await openControl({ engine })
    await ready(control)
    await control.call('POST', '/v1/grants', {
      body: { everyone: true, amountUnits: '1000000', reason: 'welcome' },
    })
    const minted = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1', name: 'ci' } })
    keyId = minted.body.id
    endUserId = minted.body.endUserId
    accountId = (await control.call('GET', '/v1/providers/main')).body.id
    const found = await control.store.read.applications.bySlug('acme')
    if (found === null) throw new Error('there is no application')
    application = found
  })
  afterEach(() => control.close())

  const explain = async (callId: string) => (await control.call('GET', `/v1/requests/req_${callId}`)).body

  async function asPerson(callId: string, person = endUserId): Promise<Record<string, unknown> | null> {
    const { read } = control.store
    const organization = await read.organizations.byId(control.organizationId)
    if (organization === null) throw new Error('there is no organization')
    const context = { application, mode: 'live', organization, store: read } as const
    return explainToEndUser(`req_${callId}`, person, context)
  }

  const record = (callId: string, more: Partial<RequestRecord>): RequestRecord => ({
    callId,
    applicationId: application.id,
    mode: 'live',
    endUserId,
    keyId,
    alias: 'acme/smart',
    tags: null,
    target: { accountId, provider: 'openai_compatible', model: 'gpt-x' },
    wire: 'chat',
    streamed: true,
    status: 'settled',
    httpStatus: 200,
    errorCode: null,
    atMs: control.clock.nowMs,
    latencyMs: 1_450,
    firstByteMs: 530,
    trace: '{}',
    ...more,
  })

  async function settled(): Promise<string> {
    const callId = await reserveCall(control, 'acme', keyId, null)
    await control.ledger.settle({
      callId,
      nowMs: control.clock.nowMs,
      usage: { ...zeroUsage, input: 50, cacheRead: 10, output: 100, statedCostNanos: 7 },
      tokenSource: 'estimated',
      record: record(callId, { trace: textOfTrace(trace, true), errorCode: 'client_left' }),
    })
    return callId
  }

  it('the explanation shows every phase of a charged call, with exact sums', async () => {
    const callId = await settled()
    const body = await explain(callId)
    expect(body.summary).toBe(
      'Charged 460 of 900 micros held. The request waited 40 ms for money held by other requests. Attempt 2 succeeded after 529. The client disconnected after 900 ms. The usage is estimated.',
    )
    expect(body).toMatchObject({
      providerModel: 'gpt-x',
      costMicros: '460',
      inputTokens: 60,
      cachedInputTokens: 10,
      auth: { keyId, keyName: 'ci', keyPrefix: expect.stringMatching(/^ak_/), endUserId, mode: 'live' },
      policy: {
        bundle: 'free',
        limits: [
          {
            name: 'key_cap',
            scope: 'key_1',
            limitMicros: '5000',
            usedMicros: '4980',
            heldMicros: '10',
            availableMicros: '10',
            resetsAt: '2026-12-01T00:00:00.000Z',
            verdict: 'pass',
          },
        ],
      },
      quote: {
        worstCase: {
          inputTokensMax: 100,
          inputMicros: '100',
          outputTokensMax: 200,
          outputRate: '4000000',
          multiplier: '1000',
          micros: '900',
          formula:
            '100 micros for at most 100 input tokens and fees + 200 output tokens x 4000000 / 1000000 = 900',
        },
      },
      reserve: {
        worstMicros: '900',
        extendedMicros: '0',
        walletHeldBeforeMicros: '100',
        walletHeldMicros: '1000',
        waitedMs: 40,
      },
      route: { candidates: [{ model: 'gpt-x', skipped: null }] },
      attempts: [
        { n: 1, status: 529, atMs: 5, connectMs: 3, firstByteMs: 410, durationMs: 412 },
        { n: 2, status: 200, atMs: 420, connectMs: 1, firstByteMs: 100, durationMs: 1_000 },
      ],
      stream: {
        firstTokenMs: 540,
        tokensPerSecond: 100,
        longestGapMs: 90,
        bytes: 4_096,
        clientLeftAtMs: 900,
      },
      usage: {
        input: 50,
        tokenSource: 'estimated',
        inWireTerms: { prompt_tokens: 60, completion_tokens: 100, 'prompt_tokens_details.cached_tokens': 10 },
      },
      settle: {
        chargeMicros: '460',
        releasedMicros: '440',
        // Granted credit paid for the request, so the request earned nothing.
        revenueMicros: '0',
        marginMicros: '-460',
        isEstimated: true,
        isRecovered: false,
        isOverHold: false,
        isLate: false,
        ledgerEntryIds: [expect.stringMatching(/^led_/)],
      },
      timeline: [
        { phase: 'decide', atMs: 0, durationMs: 5 },
        { phase: 'attempt', atMs: 5, durationMs: 412 },
        { phase: 'attempt', atMs: 420, durationMs: 1_000 },
        { phase: 'stream', atMs: 540, durationMs: 1_000 },
        { phase: 'settle', atMs: 1_420, durationMs: 30 },
      ],
    })
    const [lines] = body.priceLines
    const sum = lines.lines.reduce((total: number, line: { exact: string }) => total + Number(line.exact), 0)
    expect(String(Math.ceil(sum))).toBe(lines.amount)
    expect(lines.amount).toBe(body.settle.chargeMicros)
  })

  it('the explanation of a rejection shows the limit, its amounts as fields, and the fix', async () => {
    const callId = control.newId()
    const refusal = {
      code: 'spend_limit_exceeded',
      limitSource: 'key_cap',
      limit: '5000',
      used: '4980',
      held: '10',
      requested: '90',
      available: '10',
      resetsAt: '2026-12-01T00:00:00.000Z',
      account: 'main',
      waitedMs: null,
    }
    await control.ledger.record(
      record(callId, {
        status: 'refused',
        httpStatus: 402,
        errorCode: 'spend_limit_exceeded',
        trace: textOfTrace({ ...trace, reserve: null, stream: null, attempts: [], refusal }, false),
      }),
    )
    const body = await explain(callId)
    expect(body).toMatchObject({
      status: 'refused',
      summary:
        "Rejected before any provider was called. This key's cap of $0.005 has $0.00001 left and resets on December 1. This request needs up to $0.00009. Raise the cap of the key. With one output token, this request needs $0.00008 more.",
      refusal: {
        limit: '5000',
        used: '4980',
        held: '10',
        requested: '90',
        available: '10',
        fixOperation: 'keys.cap',
      },
      policy: { limits: [{ name: 'key_cap', verdict: 'refused' }] },
      reserve: null,
      settle: null,
      attempts: [],
      timeline: [{ phase: 'decide', atMs: 0, durationMs: 1_450 }],
    })
    const seen = await asPerson(callId)
    expect(seen?.['summary']).not.toContain('/v1/')
    expect(seen).toMatchObject({ refusal: { limit: '5000', requested: '90' } })
    expect(seen?.['refusal']).not.toHaveProperty('account')
    expect(seen?.['refusal']).not.toHaveProperty('fix')
  })

  it('if a provider rejects an API key, the explanation shows a fix to the team, and no fix to the end user', async () => {
    const callId = await reserveCall(control, 'acme', keyId, null)
    const { nowMs } = control.clock
    const errorCode = 'upstream_unauthorized'
    const stream = { end: 'failed', firstByteMs: null, clientLeftAtMs: null } as const
    await control.ledger.release({
      callId,
      nowMs,
      record: record(callId, {
        status: 'released',
        httpStatus: 502,
        errorCode,
        trace: textOfTrace({ ...trace, stream, refusal: { code: errorCode } }, false),
      }),
    })
    const toTeam = 'The model provider rejected the API key of the account. Replace the key.'
    expect(await explain(callId)).toMatchObject({
      summary: `Nothing was charged. ${toTeam}`,
      refusal: { message: toTeam, fix: null, fixOperation: 'providers.rotate' },
    })
    const toUser =
      'The model provider rejected the credential of this application. The operator of the application must replace the credential.'
    expect(await asPerson(callId)).toMatchObject({
      summary: `Nothing was charged. ${toUser}`,
      refusal: { message: toUser },
    })
  })

  it('requests.explain explains a call whose provider failed, a call in flight, and a call that a crash ended', async () => {
    const failed = await reserveCall(control, 'acme', keyId, null)
    const { nowMs } = control.clock
    await control.ledger.release({
      callId: failed,
      nowMs,
      record: record(failed, {
        status: 'released',
        httpStatus: 502,
        errorCode: 'upstream_error',
        trace: textOfTrace(
          {
            ...trace,
            stream: { end: 'failed', firstByteMs: null, clientLeftAtMs: null },
            refusal: { code: 'upstream_error', reason: 'it answered 500' },
          },
          false,
        ),
      }),
    })
    expect(await explain(failed)).toMatchObject({
      status: 'released',
      summary: 'Nothing was charged. The model provider failed: it answered 500.',
      attempts: [{ status: 529 }, { status: 200 }],
      route: { model: 'gpt-x', account: 'main' },
      settle: null,
    })
    const open = await reserveCall(control, 'acme', keyId, null)
    expect(await explain(open)).toMatchObject({
      summary: 'In flight: 900 micros are held.',
      quote: { worstCase: { micros: '900' } },
      timeline: [],
    })
    const recovered = control.newId()
    await control.ledger.record(
      record(recovered, { status: 'recovered', wire: 'unknown', httpStatus: 0, trace: '{}' }),
    )
    expect(await explain(recovered)).toMatchObject({
      status: 'recovered',
      summary: 'Nothing was charged. The process ended before the request was sent.',
    })
  })

  it('threat 109: end users see only their own calls, and no providers, cost or margin', async () => {
    const callId = await settled()
    const seen = await asPerson(callId)
    expect(seen).toMatchObject({
      chargeMicros: 460n,
      requestedModel: 'acme/smart',
      priceLines: [{ price: 'charge', amount: 460n }],
      settle: { chargeMicros: '460', releasedMicros: '440' },
      stream: { clientLeftAtMs: 900 },
    })
    const text = JSON.stringify(seen, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    expect(text).not.toMatch(
      /gpt-x|openai|"main"|pa_|cost|margin|billed|overHold|account|provider_cost|attempt|529|statedCost/i,
    )
    const other = await control.call('PUT', '/v1/end-users/user-2')
    expect(other.status).toBe(200)
    const stranger = await control.store.read.endUsers.byExternalId(application.id, 'user-2')
    expect(await asPerson(callId, stranger?.id ?? '')).toBeNull()
  })
})
