import type { ConversationCalls } from '#domain/accounts/stored-conversation-lengths.ts'
import { totalInput } from '#money/usage-counts.ts'
import { openHold } from '#store/rows/read-rows-of-open-holds.ts'
import { targetFromText, usageFromText } from '#store/rows/json-columns.ts'
import type { Query } from '#store/sql/database-interface.ts'

export function conversationCalls(query: Query): ConversationCalls {
  return {
    async lastCall(owner, callId) {
      // Search the open hold before the stored usage. The commit that ends a hold stores the usage, so no call is
      // missed.
      if ((await openHold(query, owner, callId, owner.endUserId)) !== undefined) return 'open'
      const row = await query
        .selectFrom('usage_records')
        .select(['target', 'token_source', 'usage'])
        .where('application_id', '=', owner.applicationId)
        .where('mode', '=', owner.mode)
        .where('end_user_id', '=', owner.endUserId)
        .where('call_id', '=', callId)
        .executeTakeFirst()
      if (row?.token_source !== 'provider_reported') return null
      const usage = usageFromText(row.usage)
      const input = totalInput(usage)
      // Usage in other units than tokens has no input tokens.
      if (input === 0) return null
      return {
        tokens: input + usage.output + (usage.outputBeyond ?? 0),
        model: targetFromText(row.target).model,
      }
    },
  }
}
