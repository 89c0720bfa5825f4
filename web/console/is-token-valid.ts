import type { Token } from '#sdk/generated/types.ts'

export function isTokenValid({ expiresAt, revokedAt }: Pick<Token, 'expiresAt' | 'revokedAt'>): boolean {
  return revokedAt === null && (expiresAt === null || Date.now() < Date.parse(expiresAt))
}
