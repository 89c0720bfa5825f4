import type { ConversationRequest } from '#domain/provider-upstream-interface.ts'
import { isObject, objectOf, objectsOf, stringOf, type JsonObject } from './read-values-of-any-shape.ts'

interface Conversation {
  readonly created_at: number
  metadata: unknown
  items: readonly JsonObject[]
}

/**
 * The conversations are lost when the process restarts. When the memory is full, the oldest conversation is dropped.
 */
export class KeptConversations {
  readonly #kept = new Map<string, Conversation>()

  itemsOf(id: string): readonly JsonObject[] | null {
    return this.#kept.get(id)?.items ?? null
  }

  /** Items beyond the maximum size are dropped. */
  add(id: string, items: readonly JsonObject[]): readonly JsonObject[] {
    const kept = this.#kept.get(id)
    if (kept === undefined) return []
    const from = kept.items.length
    const added = items.map((item, at) => ({ id: `item_${from + at}`, ...item }))
    const all = [...kept.items, ...added]
    if (JSON.stringify(all).length <= lengthMax) kept.items = all
    return added
  }

  /** @param items all items that the response has read and written */
  addResponse(conversation: unknown, items: readonly JsonObject[]): void {
    const id = conversationIdOf(conversation)
    const known = id === null ? null : this.itemsOf(id)
    if (id !== null && known !== null) this.add(id, items.slice(known.length))
  }

  answer(
    { callId, createdSeconds }: { readonly callId: string; readonly createdSeconds: number },
    { id: given, method, part }: ConversationRequest,
    body: JsonObject,
  ): object | null {
    const id = given ?? `conv_${callId}`
    if (given === undefined) {
      this.#kept.set(id, { created_at: createdSeconds, metadata: body['metadata'] ?? {}, items: [] })
      this.add(id, objectsOf(body['items']))
      for (const [oldest] of this.#kept) if (this.#kept.size > countMax) this.#kept.delete(oldest)
    }
    const kept = this.#kept.get(id)
    if (kept === undefined) return null
    if (part === '/items')
      return listOf(method === 'POST' ? this.add(id, objectsOf(body['items'])) : kept.items.toReversed())
    const item = part === '' ? null : kept.items.find((one) => one['id'] === part.slice('/items/'.length))
    if (item === undefined) return null
    if (method === 'DELETE' && item === null) {
      this.#kept.delete(id)
      return { id, object: 'conversation.deleted', deleted: true }
    }
    if (method === 'DELETE') kept.items = kept.items.filter((one) => one !== item)
    else if (item !== null) return item
    if (method === 'POST' && given !== undefined && isObject(body['metadata']))
      kept.metadata = body['metadata']
    return { id, object: 'conversation', created_at: kept.created_at, metadata: kept.metadata }
  }
}

export function conversationIdOf(conversation: unknown): string | null {
  return typeof conversation === 'string' ? conversation : stringOf(objectOf(conversation)['id']) || null
}

export function conversationAnswer(
  call: { readonly body: Uint8Array; readonly callId: string; readonly createdSeconds: number },
  request: ConversationRequest,
  kept: { readonly conversations: KeptConversations } | null,
): object | null {
  const text = new TextDecoder().decode(call.body)
  const body: unknown = text === '' ? {} : JSON.parse(text)
  return kept === null || !isObject(body) ? null : kept.conversations.answer(call, request, body)
}

function listOf(items: readonly JsonObject[]): object {
  const [first_id = null, last_id = null] = [items[0], items.at(-1)].map(
    (item) => item && stringOf(item['id']),
  )
  return { object: 'list', data: items, first_id, last_id, has_more: false }
}

const countMax = 1_000
const lengthMax = 64 * 1024
