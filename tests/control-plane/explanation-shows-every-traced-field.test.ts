import { expect, expectTypeOf, it } from 'vitest'
import { textOfTrace, traceOf } from '#explain/convert-trace-to-text.ts'
import type { Trace } from '#explain/sections-of-trace.ts'
import type { Attempt, Pace } from '#gateway/call/call-state-types.ts'
import { openControl, ready } from '../support/control-plane-without-socket.ts'
import { reserveCall } from '../support/valid-request-of-every-operation.ts'

/**
 * Excludes fields that the gateway never writes, although explanations read them. A new field of the trace causes a
 * compile error until this test sets the field.
 */
type Whole<T> = T extends readonly (infer Item)[]
  ? readonly Whole<Item>[]
  : T extends object
    ? {
        [Name in keyof T as [NonNullable<T[Name]>] extends [never] ? never : Name]-?: Whole<
          NonNullable<T[Name]>
        >
      }
    : T

/** Every value is different, so that the test finds where the explanation shows the value. */
const trace = {
  auth: { keyId: 'key_traced', endUserId: 'eu_traced', mode: 'traced-mode' },
  policy: {
    bundle: 'traced-bundle',
    terminationPolicy: 'traced-policy',
    debitBasis: 'traced-basis',
    configVersion: 1_001,
    outcome: 'traced-outcome',
    run: 'traced-run',
    limits: [
      {
        name: 'traced-limit',
        scope: 'traced-scope',
        limitMicros: '1002',
        usedMicros: '1003',
        heldMicros: '1004',
        resetsAtMs: 1_005,
      },
    ],
  },
  quote: {
    quoteId: 'traced-quote',
    textTokensMax: 1_006,
    textTokensBy: 'tokenizer',
    audioTokensMax: 1_007,
    imageTokensMax: 1_008,
    inputTokensEstimated: 1_009,
    outputTokensAsked: 1_010,
    choices: 1_011,
    serviceTier: 'traced-tier',
    canReport: { cacheWrite: true, cacheWriteLong: true, audioOutput: true, imageOutput: true },
    tools: {
      kinds: ['traced-tool'],
      uses: 1_050,
      usesMax: 1_051,
      tokensPerUse: 1_052,
      searchesPerUse: 1_053,
    },
    uses: {
      searchUnits: 1_054,
      webSearches: 1_055,
      codeSessions: 1_062,
      fileSearches: 1_064,
      cacheTokenHours: 1_063,
      images: 1_056,
      characters: 1_058,
      audioSeconds: 1_059,
      output: 1_060,
      audioOutput: 1_061,
      imageOutput: 1_057,
    },
  },
  reserve: {
    worstMicros: '1012',
    firstWorstMicros: '1013',
    worstCredits: '1014',
    outputTokensPerChoice: 1_015,
    isClamped: true,
    waitedMs: 1_016,
    legs: [
      { sourceId: 'traced-source', kind: 'traced-kind', unit: 'traced-unit', amount: '1017', micros: '1018' },
    ],
    walletPostedMicros: '1019',
    walletHeldMicros: '1020',
  },
  route: {
    provider: 'traced-provider',
    accountId: 'pa_traced',
    model: 'traced-model',
    upstreamWire: 'traced-wire',
    lost: ['traced-lost'],
    answeredBy: 'traced-answer',
    router: 'traced-router',
    policy: 'traced-order',
    targets: [
      {
        path: ['traced-path'],
        accountId: 'pa_traced-target',
        provider: 'traced-target-provider',
        model: 'traced-target-model',
        skip: { code: 'traced-skip', reason: 'traced-reason' },
        worst: {
          inputPrice: '1021',
          outputPrice: '1022',
          inputTokensMax: 1_023,
          outputTokensMax: 1_024,
          fixed: '1025',
          outputRate: '1026',
          multiplier: '1027',
          fees: '1099',
        },
      },
    ],
  },
  attempts: [
    {
      status: 1_028,
      failure: 'traced-failure',
      durationMs: 1_029,
      atMs: 1_030,
      connectMs: 1_031,
      firstByteMs: 1_032,
      provider: 'traced-attempt-provider',
      account: 'pa_traced-attempt',
      model: 'traced-attempt-model',
      code: 'traced-code',
      costMicros: '1033',
      deadlines: { connectMs: 1_034, firstByteMs: 1_035, firstTokenMs: 1_036, idleMs: 1_037, totalMs: 1_038 },
      notRepeated: 'traced-budget',
      fault: { host: 'traced-host', cause: 'traced-cause', systemCode: 'TRACED' },
    },
  ],
  stream: {
    end: 'traced-end',
    firstByteMs: 1_039,
    firstTokenMs: 1_040,
    lastTokenMs: 1_041,
    longestGapMs: 1_042,
    bytes: 1_043,
    clientLeftAtMs: 1_044,
    droppedFrames: 1_045,
  },
  refusal: { code: 'upstream_error', reason: 'traced-detail', waitedMs: 1_046 },
} satisfies Whole<Trace>

type Leaf = readonly [path: string, value: string | number | boolean]

function leavesOf(value: unknown, path = ''): Leaf[] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return [[path, value]]
  if (Array.isArray(value)) return value.flatMap((each: unknown) => leavesOf(each, path))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) =>
    leavesOf(each, path === '' ? name : `${path}.${name}`),
  )
}

const written = leavesOf(trace)

/**
 * Fields whose traced value the explanation does not show, each with the reason. A flag has no unique value that the
 * test could find.
 */
const notShown: Readonly<Record<string, string>> = {
  'auth.keyId': 'the row of the request has it',
  'auth.endUserId': 'the row of the request has it',
  'auth.mode': 'the row of the request has it',
  'policy.limits.resetsAtMs': 'shown as a date',
  'route.targets.worst.fixed': 'shown in micros, as inputMicros',
  'route.targets.worst.fees': 'shown in micros, as feesMicros',
}

it('the explanation contains every traced field', async () => {
  const control = await openControl({ engine: 'SQLite' })
  await ready(control)
  await control.call('POST', '/v1/grants', {
    body: { everyone: true, amountUnits: '1000000', reason: 'welcome' },
  })
  const { body: key } = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1', name: 'ci' } })
  const application = await control.store.read.applications.bySlug('acme')
  const callId = await reserveCall(control, 'acme', key.id, null)
  await control.ledger.release({
    callId,
    nowMs: control.clock.nowMs,
    record: {
      callId,
      applicationId: application?.id ?? '',
      mode: 'live',
      endUserId: key.endUserId,
      keyId: key.id,
      alias: 'acme/smart',
      tags: null,
      target: null,
      wire: 'chat',
      streamed: true,
      status: 'released',
      httpStatus: 502,
      errorCode: 'upstream_error',
      atMs: control.clock.nowMs,
      latencyMs: 1_450,
      firstByteMs: null,
      trace: textOfTrace(trace, false),
    },
  })
  const { body } = await control.call('GET', `/v1/requests/req_${callId}`)
  await control.close()
  const shown = new Set(leavesOf(body).map(([, value]) => value))
  const missing = written.filter(([, value]) => !shown.has(value)).map(([path]) => path)
  expect(missing).toEqual(Object.keys(notShown))
  expect(body).toMatchObject({
    auth: { keyId: key.id, mode: 'live' },
    policy: { limits: [{ resetsAt: new Date(1_005).toISOString() }] },
    quote: { canReport: ['cacheWrite', 'cacheWriteLong', 'audioOutput', 'imageOutput'] },
    reserve: { isClamped: true },
    route: { candidates: [{ worstCase: { inputMicros: '0.001025' } }] },
  })
})

/** Fields that the trace of a settled request omits, each with the stored row that contains the value. */
const notListed: Readonly<Record<string, string>> = {
  'auth.keyId': 'the row of the request',
  'auth.endUserId': 'the row of the request',
  'auth.mode': 'the row of the request',
  'policy.terminationPolicy': 'the quote of the settlement',
  'policy.debitBasis': 'the quote of the settlement',
  'policy.outcome': 'the settlement',
  'policy.run': 'the settlement',
  'quote.quoteId': 'the quote of the settlement',
  'reserve.worstMicros': 'the settlement',
  'reserve.worstCredits': 'no row: only the first hold of a settled request is explained',
  'route.provider': 'the settlement',
  'route.accountId': 'the settlement',
  'route.model': 'the settlement',
  'attempts.fault.host': 'no row: a failed attempt before the answer is explained by its stage',
  'attempts.fault.cause': 'no row: a failed attempt before the answer is explained by its stage',
  'attempts.fault.systemCode': 'no row: a failed attempt before the answer is explained by its stage',
  'refusal.code': 'no row: a settled request was not rejected',
  'refusal.reason': 'no row: a settled request was not rejected',
  'refusal.waitedMs': 'no row: a settled request was not rejected',
}

it('the stored trace of a settled request has every field that no other row has', () => {
  const several = { ...trace, attempts: [...trace.attempts, ...trace.attempts] }
  const read = traceOf(textOfTrace(several, true))
  const canReport = Object.fromEntries((read.quote?.canReport ?? []).map((name) => [name, true]))
  const stored = new Set(leavesOf({ ...read, quote: { ...read.quote, canReport } }).map(([path]) => path))
  expect(written.map(([path]) => path).filter((path) => !stored.has(path))).toEqual(Object.keys(notListed))
})

it("the trace has every field of the gateway's attempts and streams", () => {
  expectTypeOf<keyof Attempt>().toExtend<keyof NonNullable<Trace['attempts']>[number]>()
  expectTypeOf<keyof Pace>().toExtend<keyof NonNullable<Trace['stream']>>()
})
