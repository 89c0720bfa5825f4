import type { Token } from '#sdk/generated/types.ts'
import { realNow } from '#web/ui/current-time-hooks.ts'

export function isTokenValid({ expiresAt, revokedAt }: Pick<Token, 'expiresAt' | 'revokedAt'>): boolean {
  return revokedAt === null && (expiresAt === null || realNow() < Date.parse(expiresAt))
}
