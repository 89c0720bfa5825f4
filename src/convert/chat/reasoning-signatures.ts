import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { signatureOfTag, tagOf, type Signature } from '#wire/tagged-reasoning-signatures.ts'
import { isObject, listOf, objectOf, textOrNull } from '#wire/text/json-values.ts'
import type { ReasoningPart } from '#convert/neutral-format.ts'

/**
 * Returns the field `extra_content` of a tool call, with which the client gets the signatures and sends them back. The
 * chat wire has no field for signatures. Google's own chat endpoint uses `extra_content`, and agents that know this
 * field send it back (docs/reference/conversions.md "Sealed reasoning"). The signature of a tool call is written to the
 * member of `extra_content` that Google uses. Signed reasoning is written to the gateway's own member with its text,
 * because a provider may reject a signature alone.
 */
export function extraContentOf(reasoning: readonly ReasoningPart[]): JsonObject | null {
  const extra: Record<string, JsonValue> = {}
  const signed: JsonObject[] = []
  for (const { text, signature } of reasoning) {
    if (signature?.kind === 'thought_signature' && text === '' && !extra.google)
      extra.google = { thought_signature: tagOf(signature) }
    else if (signature) signed.push({ text, seal: tagOf(signature) })
  }
  if (signed.length > 0) extra.tollgate = { reasoning: signed }
  return extra.google || extra.tollgate ? extra : null
}

/** The returned reasoning belongs before the tool call. */
export function reasoningOf(extraContent: JsonValue): readonly ReasoningPart[] {
  if (!isObject(extraContent)) return []
  const reasoning: ReasoningPart[] = []
  for (const item of listOf(objectOf(extraContent.tollgate).reasoning)) {
    const { text, seal } = objectOf(item)
    const signature = signatureOfTag(textOrNull(seal) ?? '')
    if (signature) reasoning.push({ kind: 'reasoning', text: textOrNull(text) ?? '', signature })
  }
  const signature = textOrNull(objectOf(extraContent.google).thought_signature)
  if (signature)
    reasoning.push({ kind: 'reasoning', text: '', signature: signatureOfTag(signature) ?? own(signature) })
  return reasoning
}

/** For a signature that the client received from Google directly. */
function own(data: string): Signature {
  return { wire: 'generate', origin: null, kind: 'thought_signature', data, id: null }
}
