const dayMs = 86_400_000

/** Whether a key was used in the last 24 hours: then its name is asked for before it is revoked. */
export function isInUse(lastUsedAt: string | null, nowMs: number): boolean {
  return lastUsedAt !== null && nowMs - Date.parse(lastUsedAt) < dayMs
}
