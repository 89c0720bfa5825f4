import type { ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import {
  endOf,
  keyBefore,
  kindOf,
  kinds,
  member,
  startOf,
  stringAt,
  type Json,
} from '#wire/text/json-tape.ts'
import { itemsOf } from '#wire/text/members-of-tape-nodes.ts'
import { hashOf } from '#wire/text/hash-of-id.ts'
import { removals } from '#wire/text/removal-edits.ts'
import { splice, type Edit } from '#wire/text/apply-edits.ts'
import { requestLimits } from '#wire/wire-request.ts'

/**
 * Adapts a chat body to Mistral, which rejects unknown fields with 422 and tool call IDs of other providers with 400
 * (docs/reference/wires.md "Mistral").
 *
 * - `stream_options` is removed, because Mistral's streams always end with their usage.
 * - `user` is removed.
 * - `max_completion_tokens` becomes `max_tokens`, unless the body already has `max_tokens`.
 * - `seed` becomes `random_seed`.
 * - IDs of tool calls that Mistral did not create are replaced.
 */
export function mistralBody(body: ByteText): ByteText {
  if (!named.test(body)) return body
  const json = parseJson(body, requestLimits)
  if ('reason' in json) return body
  const dropped: number[] = []
  const edits: Edit[] = []
  const rename = (from: string, to: string): void => {
    const value = member(json, 0, from)
    if (value < 0) return
    const key = keyBefore(value)
    if (member(json, 0, to) >= 0) dropped.push(key)
    else edits.push({ start: startOf(json, key), end: endOf(json, key), text: `"${to}"` })
  }
  for (const name of ['stream_options', 'user']) {
    const value = member(json, 0, name)
    if (value >= 0) dropped.push(keyBefore(value))
  }
  rename('max_completion_tokens', 'max_tokens')
  rename('seed', 'random_seed')
  return splice(body, [...edits, ...idEdits(json), ...removals(json, 0, dropped)])
}

/** `"user"` must be a key, because almost every request also has the value `"user"` as a role. */
const named = /"(?:stream_options|max_completion_tokens|seed|tool_call_id|tool_calls|user"\s*:)/

/** A replaced ID gets the same replacement in the call and in its result. */
function idEdits(json: Json): readonly Edit[] {
  const edits: Edit[] = []
  for (const message of itemsOf(json, member(json, 0, 'messages'))) {
    const calls = itemsOf(json, member(json, message, 'tool_calls'))
    const ids = [...calls.map((call) => member(json, call, 'id')), member(json, message, 'tool_call_id')]
    for (const node of ids) {
      if (node < 0 || kindOf(json, node) !== kinds.string) continue
      const id = stringAt(json, node)
      const sent = mistralIdOf(id)
      if (sent !== id) edits.push({ start: startOf(json, node), end: endOf(json, node), text: `"${sent}"` })
    }
  }
  return edits
}

/** Returns the ID of a tool call in the only form that Mistral accepts: nine letters and digits. */
export function mistralIdOf(id: string): string {
  return /^[A-Za-z\d]{9}$/.test(id) ? id : hashOf(id).slice(3, 12)
}
