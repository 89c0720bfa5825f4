import type { Actor } from '#domain/people/caller-types.ts'
import type { Store } from '#domain/store-interface.ts'
import { pruneAnswers } from './idempotent-repeats.ts'

/**
 * Minimum time between two updates of a credential's last use, so that most read requests write nothing. Only people
 * see the last use, so it need not be exact.
 */
const everyMs = 600_000

/**
 * Call this after the operation has run. Writes at most once in ten minutes. The same transaction deletes expired
 * sessions and stored responses, which keeps the tables small without a timer.
 */
export async function recordLastUse(actor: Actor, store: Store, nowMs: number): Promise<void> {
  const { lastUsedAtMs } = actor.kind === 'token' ? actor.token : actor.session
  if (lastUsedAtMs !== null && nowMs - lastUsedAtMs < everyMs) return
  await store.transaction(async (nouns) => {
    const noun = actor.kind === 'token' ? nouns.tokens : nouns.memberSessions
    await noun.touch(actor.credentialId, nowMs)
    await nouns.memberSessions.prune(nowMs)
    await pruneAnswers(nouns, nowMs)
  })
}
