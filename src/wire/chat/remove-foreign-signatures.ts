import { member, valueOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, keyOf, keysOf } from '#wire/text/members-of-tape-nodes.ts'
import { hasTag, isTagAt } from '#wire/tagged-reasoning-signatures.ts'
import { removals } from '#wire/text/removal-edits.ts'
import type { Edit } from '#wire/text/apply-edits.ts'

export interface ForeignSignatures {
  /** Edits that remove the reasoning of another wire's provider, which no provider of this wire can read. */
  readonly everywhere: readonly Edit[]
  /**
   * The edits for OpenAI's own service. These edits remove the same reasoning as `everywhere`, and every
   * `reasoning_content`.
   */
  readonly atOpenai: readonly Edit[]
}

/**
 * Returns edits that remove content of another wire's provider from a history. The gateway put the signature of this
 * provider's reasoning into `extra_content` (tagged-reasoning-signatures.ts), and the text of the reasoning into
 * `reasoning_content`. A history contains such reasoning if the conversation's alias has moved to another provider. No
 * provider of this wire can read the reasoning of another wire, and servers that check fields reject it.
 *
 * `reasoning_content` without a tag is kept, because servers of this wire (DeepSeek, Moonshot) require their own text
 * back. OpenAI's own service neither writes nor knows `reasoning_content`, so the whole field is removed for OpenAI.
 * @returns null if the history has nothing to remove
 */
export function foreignSignatures(json: Json, messages: Node): ForeignSignatures | null {
  const isTagged = hasTag(json.text)
  if (!isTagged && !json.text.includes('"reasoning_content"')) return null
  const everywhere: Edit[] = []
  const atOpenai: Edit[] = []
  for (const message of itemsOf(json, messages)) {
    const calls = isTagged ? itemsOf(json, member(json, message, 'tool_calls')) : []
    const signed = calls.flatMap((call) => foreignContent(json, call))
    const thought = keyOf(json, message, 'reasoning_content')
    const withoutThought = thought < 0 ? [] : removals(json, message, [thought])
    everywhere.push(...signed, ...(signed.length > 0 ? withoutThought : []))
    atOpenai.push(...signed, ...withoutThought)
  }
  return { everywhere, atOpenai }
}

/**
 * Returns edits that remove what the gateway put into a call's `extra_content`: the gateway's own member, and a tag in
 * the field of Google's signature. If `google` or `extra_content` would become empty, the whole object is removed.
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
