import { dayMs } from '#money/period.ts'

/** Returns whether a key was used in the last 24 hours. Its name must then be typed before it is revoked. */
export function isInUse(lastUsedAt: string | null, nowMs: number): boolean {
  return lastUsedAt !== null && nowMs - Date.parse(lastUsedAt) < dayMs
}
