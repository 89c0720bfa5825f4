import { endOf, startOf, type Json, type Node } from '#wire/text/json-tape.ts'

/**
 * Returns the bytes of base64 of encrypted thoughts, minus the maximum tokens of these thoughts. 0 if the member does
 * not contain encrypted thoughts. A token of thoughts has at least as many bytes as in the recorded responses
 * (docs/reference/tokens.md "Tokens that providers add").
 */
export function bytesOfThoughts(json: Json, name: string, value: Node): number {
  if (!rules.has(name)) return 0
  const text = json.text.slice(startOf(json, value), endOf(json, value))
  const tokens = tokensOfThoughts(name, text)
  return tokens === null ? 0 : text.length - tokens
}

/**
 * Null if the member does not contain encrypted thoughts.
 * @param text value of the member, with or without its quotes
 */
export function tokensOfThoughts(name: string, text: string): number | null {
  const rule = rules.get(name)
  if (rule === undefined || text.length < rule.bytesMin || !isBase64.test(text)) return null
  return Math.ceil(text.length / rule.bytesPerToken)
}

export function isSignature(name: string): boolean {
  return rules.get(name) === ofGemini
}

interface Rule {
  /** A shorter text may only refer to thoughts that the provider stores. */
  readonly bytesMin: number
  /** Bytes of base64 per token of thoughts, rounded down. */
  readonly bytesPerToken: number
}

const ofGemini: Rule = { bytesMin: 0, bytesPerToken: 4 }
const rules: ReadonlyMap<string, Rule> = new Map([
  ['thoughtSignature', ofGemini],
  ['thought_signature', ofGemini],
  ['encrypted_content', { bytesMin: 640, bytesPerToken: 5 }],
])
const isBase64 = /^"?[\w+/=-]*"?$/
