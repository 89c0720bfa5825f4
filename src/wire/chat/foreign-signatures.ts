import { after, inside, kindOf, kinds, member, valueOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { hasTag, signatureOfTag } from '#wire/signatures.ts'
import { keyOf } from '#wire/offered-tools.ts'
import { removals } from '#wire/text/removals.ts'
import { textAt } from '#wire/request.ts'
import type { Edit } from '#wire/text/splice.ts'

export interface ForeignSignatures {
  /** What no provider of this wire has made, and none can read. */
  readonly everywhere: readonly Edit[]
  /** The same, and what OpenAI's own service does not know. */
  readonly atOpenai: readonly Edit[]
}

/**
 * Takes out of a history what a provider of another wire has made: the reasoning that we have put into
 * `extra_content` (signatures.ts), and the text of the same reasoning in `reasoning_content` beside it. It is in a
 * conversation whose name has moved; nobody else can read it, and servers that check fields refuse it.
 *
 * `reasoning_content` without a signature of ours stays: servers of this wire want back what they have written
 * (DeepSeek, Moonshot). OpenAI's own service neither writes nor knows the field, so there all of it goes.
 */
export function foreignSignatures(json: Json, messages: Node): ForeignSignatures {
  const isTagged = hasTag(json.text)
  if (!isTagged && !json.text.includes('"reasoning_content"')) return none
  const everywhere: Edit[] = []
  const atOpenai: Edit[] = []
  const end = after(json, messages)
  for (let message = inside(messages); message < end; message = after(json, message)) {
    const signed = isTagged ? signedEdits(json, message) : []
    const thought = keyOf(json, message, 'reasoning_content')
    const withoutThought = thought < 0 ? [] : removals(json, message, [thought])
    everywhere.push(...signed, ...(signed.length > 0 ? withoutThought : []))
    atOpenai.push(...signed, ...withoutThought)
  }
  return { everywhere, atOpenai }
}

const none: ForeignSignatures = { everywhere: [], atOpenai: [] }

function signedEdits(json: Json, message: Node): readonly Edit[] {
  const calls = member(json, message, 'tool_calls')
  if (calls < 0 || kindOf(json, calls) !== kinds.array) return []
  const edits: Edit[] = []
  for (let call = inside(calls), end = after(json, calls); call < end; call = after(json, call)) {
    const extra = keyOf(json, call, 'extra_content')
    if (extra < 0 || kindOf(json, valueOf(extra)) !== kinds.object) continue
    edits.push(...without(json, call, extra, gone(json, valueOf(extra))))
  }
  return edits
}

/** What of `extra_content` is ours: all that is called so, and a signature of ours in Google's place. */
function gone(json: Json, extra: Node): readonly (Node | readonly Edit[])[] {
  const found: (Node | readonly Edit[])[] = []
  const ours = keyOf(json, extra, 'tollgate')
  if (ours >= 0) found.push(ours)
  const google = keyOf(json, extra, 'google')
  if (google < 0 || kindOf(json, valueOf(google)) !== kinds.object) return found
  const signature = keyOf(json, valueOf(google), 'thought_signature')
  const text = signature < 0 ? null : textAt(json, valueOf(signature))
  if (text === null || signatureOfTag(text) === null) return found
  found.push(countOf(json, valueOf(google)) === 1 ? google : removals(json, valueOf(google), [signature]))
  return found
}

/** The object itself goes where nothing of another's is left in it. */
function without(
  json: Json,
  parent: Node,
  key: Node,
  found: readonly (Node | readonly Edit[])[],
): readonly Edit[] {
  const keys = found.filter((one) => typeof one === 'number')
  if (keys.length > 0 && keys.length === countOf(json, valueOf(key))) return removals(json, parent, [key])
  return [
    ...removals(json, valueOf(key), keys),
    ...found.flatMap((one) => (typeof one === 'number' ? [] : one)),
  ]
}

function countOf(json: Json, object: Node): number {
  let count = 0
  for (let key = inside(object), end = after(json, object); key < end; key = after(json, valueOf(key)))
    count++
  return count
}
