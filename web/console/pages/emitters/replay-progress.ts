import type { EmitterReplay } from '#sdk/generated/types.ts'

/** From 0 to 1. */
export function replayProgress({
  from,
  reachedAt,
  to,
}: Pick<EmitterReplay, 'from' | 'reachedAt' | 'to'>): number {
  const length = Date.parse(to) - Date.parse(from)
  if (length <= 0) return 1
  return Math.min(Math.max((Date.parse(reachedAt) - Date.parse(from)) / length, 0), 1)
}
