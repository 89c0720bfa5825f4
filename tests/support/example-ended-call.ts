import type { EndedCall } from '#domain/ledger-interface.ts'
import { zeroUsage } from '#money/usage-counts.ts'

export function endedCallOf(
  record: Partial<EndedCall['record']> = {},
  rest: Partial<Omit<EndedCall, 'record'>> = {},
): EndedCall {
  return {
    organizationId: 'org_1',
    applicationSlug: 'acme',
    record: {
      callId: '01ja4t9k8h3v2c5b6n7m8p9q0r',
      applicationId: 'app_1',
      mode: 'live',
      endUserId: 'usr_1',
      keyId: 'key_1',
      alias: 'fast',
      tags: null,
      target: { accountId: 'prov_1', provider: 'openai', model: 'gpt-5' },
      wire: 'chat',
      streamed: false,
      status: 'settled',
      httpStatus: 200,
      errorCode: null,
      atMs: 0,
      latencyMs: 1_200,
      firstByteMs: 300,
      trace: '[]',
      ...record,
    },
    charged: {
      usage: { ...zeroUsage, input: 800, cacheRead: 100, output: 333, reasoning: 33 },
      tokenSource: 'provider_reported',
      result: {
        costMicros: 120n,
        assumedMicros: 0n,
        billedMicros: 150n,
        chargeMicros: 140n,
        overHoldMicros: 0n,
        walletPostedMicros: 1_000n,
      },
    },
    startedAtMs: 0,
    readAtMs: 2,
    endedAtMs: 1_234,
    attempts: [
      {
        provider: 'openai',
        account: 'prov_1',
        model: 'gpt-5',
        status: 200,
        failure: null,
        atMs: 4,
        durationMs: 1_190,
      },
    ],
    traceparent: null,
    ...rest,
  }
}
