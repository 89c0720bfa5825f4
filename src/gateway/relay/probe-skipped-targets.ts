import type { ProbeAnswer } from '#domain/health/provider-probes.ts'
import type { AttemptOutcome } from '#routing/circuit-breaker.ts'
import type { PlannedTarget } from '#routing/route-tree-types.ts'
import type { RouteLeaf } from '#gateway/call/targets-of-model-name.ts'
import type { Call } from '#gateway/call/call-state-types.ts'

/**
 * Probes the targets that a call skips because their circuits are open. The call does not wait for the probes. A probe
 * is the smallest possible model call (one output token; 16 at OpenAI). A list of the provider's models proves nothing,
 * because the list may succeed while model calls fail. Failed probes cost nothing. The cost of a successful probe is
 * recorded for the account, as for `providers.probe`, and charged to no end user.
 */
export function probeThosePassedOver(call: Call, order: readonly PlannedTarget<RouteLeaf>[]): void {
  const nowMs = call.ports.clock.nowMs()
  for (const { leaf, skip } of order) {
    const isProbed = skip?.code === 'circuit_open' && leaf.isProbeable === true
    if (isProbed && call.targets.health.beginProbe(leaf, nowMs)) void probe(call, leaf)
  }
}

async function probe({ ports, targets: { health } }: Call, leaf: RouteLeaf): Promise<void> {
  const { account, model, price } = leaf.source
  const outcome = outcomeOfProbe(await ports.probeTarget(account, model, price))
  health.probed(leaf, outcome, ports.clock.nowMs())
  ports.log.debug({ account: account.id, model, outcome: outcome.kind }, probedMessage)
}

export const probedMessage = 'probed a target with an open circuit'

function outcomeOfProbe({ failure, status }: Pick<ProbeAnswer, 'failure' | 'status'>): AttemptOutcome {
  const failed = (met: Extract<AttemptOutcome, { kind: 'failed' }>['failure']): AttemptOutcome => ({
    kind: 'failed',
    failure: met,
    retryAfterMs: null,
  })
  switch (failure?.code) {
    case undefined:
      return { kind: 'ok', firstTokenMs: null }
    case 'upstream_timeout':
      return failed('timeout')
    case 'upstream_rate_limited':
      return failed('rate_limited')
    case 'upstream_unauthorized':
    case 'upstream_unpaid':
      return failed('credential_rejected')
    // A provider that rejects the probe as invalid is reachable, but may still accept calls, so the probe proves
    // nothing.
    case 'upstream_rejected':
      return status === 404 ? failed('model_not_found') : { kind: 'neutral' }
    default:
      return failed('server_error')
  }
}
