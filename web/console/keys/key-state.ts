import type { ApiKeySummary } from '#sdk/generated/types.ts'
import type { Tone } from '#web/ui/state.tsx'

/** What a key may do now. */
export function keyState(
  { expiresAt, revokedAt }: Pick<ApiKeySummary, 'expiresAt' | 'revokedAt'>,
  nowMs: number,
): readonly [Tone, string] {
  if (revokedAt !== null) return ['negative', 'Revoked']
  if (expiresAt !== null && Date.parse(expiresAt) <= nowMs) return ['neutral', 'Expired']
  return ['positive', 'Active']
}
