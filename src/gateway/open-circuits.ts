import type { CircuitFacts } from '#domain/circuits.ts'
import type { TargetHealth } from '#routing/target-health.ts'

/** The circuits of this process that are not closed. Keys of health are those of decide/served-name.ts. */
export function openCircuits(health: Pick<TargetHealth, 'all'>, nowMs: number): CircuitFacts[] {
  return health.all(nowMs).flatMap(({ circuit, key }) => {
    const { accountId, mode, model } =
      /^(?<mode>test )?(?<accountId>\S+) (?<model>.*)$/s.exec(key)?.groups ?? {}
    if (circuit.kind === 'closed' || accountId === undefined || model === undefined) return []
    return {
      accountId,
      model,
      mode: mode === undefined ? 'live' : 'test',
      state: circuit.kind,
      untilMs: circuit.kind === 'open' ? circuit.untilMs : null,
      why: circuit.why,
    }
  })
}
