import { endOf, startOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, memberOf } from '#wire/text/object-members.ts'

/**
 * Returns how many bytes of Gemini's thought signatures in a list of parts cannot be tokens. A signature is base64 of
 * encrypted thoughts, which Gemini may count again. A token of thoughts takes at least 1.5 bytes
 * (docs/reference/tokens.md "Tokens that providers add").
 */
export function bytesOfThoughts(json: Json, parts: Node): number {
  let bytes = 0
  for (const part of itemsOf(json, parts))
    for (const name of names) {
      const signature = memberOf(json, part, name)
      const text = signature < 0 ? '' : json.text.slice(startOf(json, signature), endOf(json, signature))
      if (isBase64.test(text)) bytes += Math.floor(text.length / 2)
    }
  return bytes
}

const names = ['thoughtSignature', 'thought_signature'] as const
const isBase64 = /^"[\w+/=-]*"$/
