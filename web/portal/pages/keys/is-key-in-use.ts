import { dayMs } from '#money/periods-and-windows.ts'

/**
 * Returns whether a key was used in the last 24 hours. The end user must then type the key's name before the key is
 * revoked.
 */
export function isInUse(lastUsedAt: string | null, nowMs: number): boolean {
  return lastUsedAt !== null && nowMs - Date.parse(lastUsedAt) < dayMs
}
