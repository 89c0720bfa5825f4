import { dayMs } from '#money/periods-and-windows.ts'

/**
 * Returns whether a key was used in the last 24 hours. To revoke a key that is in use, the end user must type the key's
 * name.
 */
export function isInUse(lastUsedAt: string | null, nowMs: number): boolean {
  return lastUsedAt !== null && nowMs - Date.parse(lastUsedAt) < dayMs
}
