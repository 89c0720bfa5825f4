import { assertMoney } from './amount.ts'
import type { PersonState } from './decision-types.ts'
import type { LimitSource, Refusal, RefusalCode } from './refusal-types.ts'

/**
 * Returns null if the caller may spend. Otherwise returns the reason that lasts longest, by a fixed order of reasons.
 */
export function eligibility(state: PersonState): Refusal | null {
  const { key, nowMs, run } = state
  assertMoney(Number.isSafeInteger(nowMs), 'eligibility: now is an instant')
  if (state.isFrozen) return barred('end_user_frozen', 'end_user')
  if (key.revokedAtMs !== null) return barred('key_revoked', 'key')
  if (key.expiresAtMs !== null && nowMs >= key.expiresAtMs) return barred('key_expired', 'key')
  if (run?.status === 'capped') return { ...barred('outcome_capped', 'outcome_run'), ...runNumbers(state) }
  if (run !== null && run.status !== 'running') {
    return { ...barred('outcome_finished', 'outcome_run'), ...runNumbers(state) }
  }
  return null
}

function barred(code: RefusalCode, limitSource: LimitSource): Refusal {
  return {
    kind: 'refused',
    code,
    limitSource,
    limit: null,
    used: null,
    held: null,
    requested: null,
    resetsAtMs: null,
  }
}

function runNumbers({ limits }: PersonState): Partial<Refusal> {
  const limit = limits.find(({ kind }) => kind === 'outcome_run')
  return limit ? { limit: limit.limitMicros, used: limit.spentMicros, held: limit.heldMicros } : {}
}
