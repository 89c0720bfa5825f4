import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { opaqueOf, tagOf, type Opaque } from '#wire/signatures.ts'
import { isObject, listOf, objectOf, textOrNull } from '#wire/text/json-values.ts'
import type { ReasoningPart } from '#convert/neutral.ts'

/**
 * Where seals travel through a chat client. The wire has no field for them, but a tool call's
 * `extra_content` is one that Google's own chat endpoint uses, so that agents which care give it back
 * (wire.md 8). A signature on a call goes into Google's place; reasoning that was sealed goes whole into
 * ours, with its text, since a seal without the text that it is of may be refused.
 */
export function extraContentOf(reasoning: readonly ReasoningPart[]): JsonObject | null {
  const extra: Record<string, JsonValue> = {}
  const sealed: JsonObject[] = []
  for (const { text, opaque } of reasoning) {
    if (opaque?.kind === 'thought_signature' && text === '' && !extra.google)
      extra.google = { thought_signature: tagOf(opaque) }
    else if (opaque) sealed.push({ text, seal: tagOf(opaque) })
  }
  if (sealed.length > 0) extra.tollgate = { reasoning: sealed }
  return extra.google || extra.tollgate ? extra : null
}

/** The reasoning that a tool call brings back, to be given before the call. */
export function reasoningOf(extraContent: JsonValue): readonly ReasoningPart[] {
  if (!isObject(extraContent)) return []
  const reasoning: ReasoningPart[] = []
  for (const item of listOf(objectOf(extraContent.tollgate).reasoning)) {
    const { text, seal } = objectOf(item)
    const opaque = opaqueOf(textOrNull(seal) ?? '')
    if (opaque) reasoning.push({ kind: 'reasoning', text: textOrNull(text) ?? '', opaque })
  }
  const signature = textOrNull(objectOf(extraContent.google).thought_signature)
  if (signature)
    reasoning.push({ kind: 'reasoning', text: '', opaque: opaqueOf(signature) ?? own(signature) })
  return reasoning
}

/** One that the client has from Google itself. */
function own(data: string): Opaque {
  return { wire: 'generate', origin: null, kind: 'thought_signature', data, id: null }
}
