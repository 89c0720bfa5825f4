import type { Logger } from '#domain/log-interface.ts'
import { type ProbeAccount, type ProbeAnswer, probeRecord } from '#domain/health/provider-probes.ts'
import type { Store } from '#domain/store-interface.ts'
import type { GatewayPorts } from '#gateway/call/dependencies-of-gateway.ts'

/** Minimum time between two recorded failures of a target. An unavailable target is probed every few seconds. */
const failureEveryMs = 60_000

/**
 * Records the result and the cost of a probe. Probes with a response are always recorded, because they have a cost. The
 * failures of a target are recorded at most once a minute.
 */
export function recordedProbe(
  probe: ProbeAccount,
  {
    log,
    newId,
    nowMs,
    store,
  }: {
    readonly log: Logger
    readonly newId: () => string
    readonly nowMs: () => number
    readonly store: Store
  },
): GatewayPorts['probeTarget'] {
  const failedAtMs = new Map<string, number>()
  return async (account, model, price) => {
    const target = `${account.id} ${model}`
    const answer = await probe(account, model).catch((cause: unknown): ProbeAnswer => {
      log.warn({ account: account.id, err: cause }, 'probing a target failed')
      const failure = { code: 'upstream_error' as const, reason: 'the probe could not be sent', said: null }
      return { status: null, latencyMs: 0, usage: null, failure }
    })
    const atMs = nowMs()
    if (answer.failure === null) failedAtMs.delete(target)
    else if (atMs - (failedAtMs.get(target) ?? -Infinity) < failureEveryMs) return answer
    else failedAtMs.set(target, atMs)
    const record = probeRecord({ id: newId(), account, model, price }, answer, atMs)
    await store
      .transaction(({ probes }) => probes.insert(record))
      .catch((cause: unknown) => log.warn({ account: account.id, err: cause }, 'recording a probe failed'))
    return answer
  }
}
