import type { Account } from '#domain/accounts/end-user-account.ts'
import type { ConversationCalls } from '#domain/accounts/conversations.ts'
import { totalInput } from '#money/usage.ts'
import { holdsInSlots } from '#store/rows/hold-slots.ts'
import { targetFromText, usageFromText } from '#store/rows/json-columns.ts'
import { isPostgres, type Query } from '#store/sql/database.ts'

export function conversationCalls(query: Query): ConversationCalls {
  return {
    async lastCall(owner, callId) {
      // The order matters: a hold that has ended never opens again, and its usage is stored in the same commit.
      if (await isOpen(query, owner, callId)) return 'open'
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
      // Usage that counts other units than tokens has no input.
      if (input === 0) return null
      return {
        tokens: input + usage.output + (usage.outputBeyond ?? 0),
        model: targetFromText(row.target).model,
      }
    },
  }
}

async function isOpen(
  query: Query,
  { applicationId, endUserId, mode }: Account,
  callId: string,
): Promise<boolean> {
  const rows = isPostgres(query)
    ? await query
        .selectFrom('holds')
        .select('call_id')
        .where('application_id', '=', applicationId)
        .where('end_user_id', '=', endUserId)
        .where('mode', '=', mode)
        .where('call_id', '=', callId)
        .execute()
    : await holdsInSlots(query, { applicationId, callId, limit: 1 }, (call) => call.mode === mode)
  return rows.length > 0
}
