import { member, valueOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, keyOf, keysOf } from '#wire/text/members-of-tape-nodes.ts'
import { hasTag, isTagAt } from '#wire/tagged-reasoning-signatures.ts'
import { removals } from '#wire/text/removal-edits.ts'
import type { Edit } from '#wire/text/apply-edits.ts'

export interface ForeignSignatures {
  /** Removes reasoning of another wire's provider, which no provider of this wire can read. */
  readonly everywhere: readonly Edit[]
  /** Also removes every `reasoning_content`, for servers that do not know this field. */
  readonly withoutThoughts: readonly Edit[]
}

/**
 * The gateway put the signature of such reasoning into `extra_content` (tagged-reasoning-signatures.ts), and its text
 * into `reasoning_content`. A history contains such reasoning if the conversation's alias has moved to another
 * provider.
 *
 * `reasoning_content` without a tag is kept for most compatible servers, because DeepSeek and Moonshot require their own
 * text back. OpenAI ignores the field, and Mistral and Groq reject it (docs/reference/wires.md "Mistral", "Groq").
 * @returns null if the history has nothing to remove
 */
export function foreignSignatures(json: Json, messages: Node): ForeignSignatures | null {
  const isTagged = hasTag(json.text)
  if (!isTagged && !json.text.includes('"reasoning_content"')) return null
  const everywhere: Edit[] = []
  const withoutThoughts: Edit[] = []
  for (const message of itemsOf(json, messages)) {
    const calls = isTagged ? itemsOf(json, member(json, message, 'tool_calls')) : []
    const signed = calls.flatMap((call) => foreignContent(json, call))
    const thought = keyOf(json, message, 'reasoning_content')
    const withoutThought = thought < 0 ? [] : removals(json, message, [thought])
    everywhere.push(...signed, ...(signed.length > 0 ? withoutThought : []))
    withoutThoughts.push(...signed, ...withoutThought)
  }
  return { everywhere, withoutThoughts }
}

/**
 * Removes the gateway's own member of `extra_content`, and a tag in the field of Google's signature. If `google` or
 * `extra_content` would become empty, the whole object is removed.
 */
function foreignContent(json: Json, call: Node): readonly Edit[] {
  const extraKey = keyOf(json, call, 'extra_content')
  if (extraKey < 0) return []
  const extra = valueOf(extraKey)
  const ours = keyOf(json, extra, 'tollgate')
  const googleKey = keyOf(json, extra, 'google')
  const google = googleKey < 0 ? -1 : valueOf(googleKey)
  const signature = keyOf(json, google, 'thought_signature')
  const isOurs = signature >= 0 && isTagAt(json, valueOf(signature))
  const isGoogleGone = isOurs && keysOf(json, google).length === 1
  const gone = [ours, isGoogleGone ? googleKey : -1].filter((key) => key >= 0)
  if (gone.length > 0 && gone.length === keysOf(json, extra).length) return removals(json, call, [extraKey])
  return [
    ...removals(json, extra, gone),
    ...(isOurs && !isGoogleGone ? removals(json, google, [signature]) : []),
  ]
}
