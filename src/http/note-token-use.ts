import type { Token } from '#domain/records.ts'
import type { Store } from '#domain/store.ts'
import { pruneAnswers } from './idempotent-repeats.ts'

/** `last_used_at` is a hint for people, so coarse that most reads do not write. */
const everyMs = 600_000

/**
 * Notes the use of a token, after its answer and at most once in ten minutes. The same transaction deletes
 * expired answers of repeats: often enough for a table of one day, without a timer.
 */
export async function noteTokenUse({ id, lastUsedAtMs }: Token, store: Store, nowMs: number): Promise<void> {
  if (lastUsedAtMs !== null && nowMs - lastUsedAtMs < everyMs) return
  await store.transaction(async (nouns) => {
    await nouns.tokens.touch(id, nowMs)
    await pruneAnswers(nouns, nowMs)
  })
}
