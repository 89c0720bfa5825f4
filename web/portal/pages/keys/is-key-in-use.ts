import { dayMs } from '#money/periods-and-windows.ts'

/** The end user must type the name of such a key to revoke it. */
export function isInUse(lastUsedAt: string | null, nowMs: number): boolean {
  return lastUsedAt !== null && nowMs - Date.parse(lastUsedAt) < dayMs
}
