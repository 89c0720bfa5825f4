import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { signatureOfTag, tagOf, type Signature } from '#wire/tagged-reasoning-signatures.ts'
import { isObject, listOf, objectOf, textOrNull } from '#wire/text/json-values.ts'
import type { ReasoningPart } from '#convert/neutral-format.ts'

/**
 * Returns the field `extra_content` of a tool call, with which the client gets the signatures and sends them back. The
 * chat wire has no field for signatures. Google's own chat endpoint uses `extra_content`, and agents that know this
 * field send it back (docs/reference/conversions.md "Sealed reasoning"). The signature of the tool call itself, which
 * comes last, is written to the member of `extra_content` that Google uses. Google does not need the thoughts back.
 * Other signed reasoning is written to the gateway's own member with its text, because a provider may reject a
 * signature alone.
 */
export function extraContentOf(reasoning: readonly ReasoningPart[]): JsonObject | null {
  const ofCall = reasoning.findLast(({ signature }) => signature?.kind === 'thought_signature')
  const google = ofCall?.signature ? { thought_signature: tagOf(ofCall.signature) } : null
  const signed = reasoning.flatMap((part) =>
    part === ofCall || part.signature === null ? [] : [{ text: part.text, seal: tagOf(part.signature) }],
  )
  if (google === null && signed.length === 0) return null
  return { ...(google && { google }), ...(signed.length > 0 && { tollgate: { reasoning: signed } }) }
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
  const signature = googleSignatureOf(extraContent)
  if (signature !== null)
    reasoning.push({ kind: 'reasoning', text: '', signature: signatureOfTag(signature) ?? own(signature) })
  return reasoning
}

/** The signature of a tool call, in the field of Google's own chat endpoint. */
export function googleSignatureOf(extraContent: JsonValue): string | null {
  return textOrNull(objectOf(objectOf(extraContent).google).thought_signature) || null
}

/** For a signature that the client received from Google directly. */
function own(data: string): Signature {
  return { wire: 'generate', origin: null, kind: 'thought_signature', data, id: null }
}
