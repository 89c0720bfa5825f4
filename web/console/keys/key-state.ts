import type { ApiKeySummary } from '#sdk/generated/types.ts'
import type { Tone } from '#web/ui/state.tsx'

/** What a key may do now. */
export function keyState(
  { replacedBy, revokedAt }: Pick<ApiKeySummary, 'replacedBy' | 'revokedAt'>,
  hasExpired: boolean,
): readonly [Tone, string] {
  if (revokedAt !== null) return ['negative', 'Revoked']
  if (hasExpired) return ['neutral', replacedBy === null ? 'Expired' : 'Replaced']
  return ['positive', 'Active']
}
