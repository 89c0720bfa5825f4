import type { ApiKeySummary } from '#sdk/generated/types.ts'
import type { Tone } from '#web/ui/status-notes-and-placeholders.tsx'

export function keyState(
  { replacedBy, revokedAt }: Pick<ApiKeySummary, 'replacedBy' | 'revokedAt'>,
  hasExpired: boolean,
): readonly [Tone, string] {
  if (revokedAt !== null) return ['negative', 'Revoked']
  if (hasExpired) return ['neutral', replacedBy === null ? 'Expired' : 'Replaced']
  return ['positive', 'Active']
}
