import type { Token } from '#domain/records.ts'
import type { Store } from '#domain/store.ts'
import { pruneAnswers } from './repeats.ts'

/** `last_used_at` is a hint for people: as coarse as this, so that reading does not write. */
const everyMs = 600_000

/**
 * Notes that a token was used, after its answer was made and at most once in ten minutes. The transaction is also
 * where kept answers of repeats expire: often enough for a table of one day, and no timer.
 */
export async function noteTokenUse({ id, lastUsedAtMs }: Token, store: Store, nowMs: number): Promise<void> {
  if (lastUsedAtMs !== null && nowMs - lastUsedAtMs < everyMs) return
  await store.transaction(async (nouns) => {
    await nouns.tokens.touch(id, nowMs)
    await pruneAnswers(nouns, nowMs)
  })
}
