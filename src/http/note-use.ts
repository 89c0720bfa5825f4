import type { Actor } from '#domain/people/actor.ts'
import type { Store } from '#domain/store.ts'
import { pruneAnswers } from './idempotent-repeats.ts'

/** When a credential was last used is a hint for people, so coarse that most reads do not write. */
const everyMs = 600_000

/**
 * Notes the use of a token or a session, after its answer and at most once in ten minutes. The same transaction
 * deletes expired sessions and answers of repeats: often enough for small tables, without a timer.
 */
export async function noteUse(actor: Actor, store: Store, nowMs: number): Promise<void> {
  const { lastUsedAtMs } = actor.kind === 'token' ? actor.token : actor.session
  if (lastUsedAtMs !== null && nowMs - lastUsedAtMs < everyMs) return
  await store.transaction(async (nouns) => {
    const noun = actor.kind === 'token' ? nouns.tokens : nouns.memberSessions
    await noun.touch(actor.credentialId, nowMs)
    await nouns.memberSessions.prune(nowMs)
    await pruneAnswers(nouns, nowMs)
  })
}
