import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { Count } from '#operations/schemas.ts'

const windowMs = 3_600_000

const Milliseconds = z.int().nullable()

export default operation({
  id: 'health',
  method: 'GET',
  path: '/v1/health',
  scope: 'application',
  summary: 'Show latency and failure rate',
  description: "How the application's gateway calls of the last hour went, in the mode of the request.",
  output: z.object({
    windowSeconds: Count.meta({ description: 'Length of the window.' }),
    calls: Count.meta({ description: 'Calls that have ended.' }),
    failures: Count.meta({ description: 'Those answered 5xx: broken here or at the provider.' }),
    refusals: Count.meta({ description: 'Those answered 4xx.' }),
    failureRate: z.number().min(0).max(1).meta({ description: '`failures` of `calls`; 0 without calls.' }),
    latencyMs: z
      .object({
        p50: Milliseconds.meta({ description: 'Half of the calls took no longer; null without calls.' }),
        p99: Milliseconds.meta({ description: '99 of 100 calls took no longer.' }),
      })
      .meta({ description: 'From the first byte of a request to the last of its answer.' }),
  }),
  async run(_, { application, mode, nowMs, store }) {
    const { calls, failures, p50Ms, p99Ms, refusals } = await store.requests.latency(
      application.id,
      mode,
      nowMs - windowMs,
    )
    return {
      windowSeconds: windowMs / 1000,
      calls,
      failures,
      refusals,
      failureRate: calls === 0 ? 0 : failures / calls,
      latencyMs: { p50: p50Ms, p99: p99Ms },
    }
  },
})
