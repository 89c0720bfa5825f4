import type { Credentials } from '#domain/people/valid-credentials-interface.ts'
import { expiryLimits } from '#domain/people/member-sessions.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { isValid } from './tokens.ts'

export function credentials(query: Query): Credentials {
  return {
    async validAmong(hashes, nowMs) {
      const { createdAtMs, lastUsedAtMs } = expiryLimits(nowMs)
      const found = await query
        .selectFrom('tokens')
        .select('hash')
        .where('hash', 'in', hashes)
        .where(isValid(nowMs))
        .unionAll(
          query
            .selectFrom('member_sessions')
            .select('hash')
            .where('hash', 'in', hashes)
            .where('created_at_ms', '>', createdAtMs)
            .where('last_used_at_ms', '>', lastUsedAtMs),
        )
        .unionAll(
          query
            .selectFrom('portal_sessions')
            .select('hash')
            .where('hash', 'in', hashes)
            .where('expires_at_ms', '>', nowMs),
        )
        .execute()
      return new Set(found.map(({ hash }) => hash))
    },
  }
}
