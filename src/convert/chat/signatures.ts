import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { signatureOfTag, tagOf, type Signature } from '#wire/signatures.ts'
import { isObject, listOf, objectOf, textOrNull } from '#wire/text/json-values.ts'
import type { ReasoningPart } from '#convert/neutral.ts'

/**
 * Carries signatures through a chat client. The wire has no field for them, but Google's own chat endpoint uses a
 * tool call's `extra_content`, so agents that support it give it back (docs/reference/conversions.md
 * "Sealed reasoning"). The signature of a call goes into Google's member; signed reasoning goes whole into the
 * gateway's, with its text, since a provider may refuse a signature without its text.
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

/** The reasoning that a tool call brings back, for the place before the call. */
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

/** A signature that the client has from Google itself. */
function own(data: string): Signature {
  return { wire: 'generate', origin: null, kind: 'thought_signature', data, id: null }
}
