import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import {
  isAbsent,
  isObject,
  listOf,
  objectOf,
  parseValue,
  printValue,
  textOrNull,
} from '#wire/text/json-values.ts'
import type { Part } from '#convert/neutral-format.ts'

/**
 * Collects OpenRouter's `reasoning_details`, which contain signed and encrypted reasoning of the model's vendor. The
 * model requires them back in the same order (docs/reference/conversions.md "Sealed reasoning"). A stream contains a
 * text in pieces, and its signature in a later piece.
 */
export class ReasoningDetails {
  #details: JsonObject[] = []
  #isSealed = false
  #isInContent = false

  /** @returns whether one of the details is signed or encrypted */
  push(details: JsonValue): boolean {
    const added = listOf(details).filter(isObject)
    const isSealed = added.some(({ signature, data }) => Boolean(textOrNull(signature) || textOrNull(data)))
    for (const detail of added) this.#add(detail)
    this.#isSealed ||= isSealed
    return isSealed
  }

  /** Databricks sends signed reasoning in the content, and rejects it in `reasoning_content`. */
  pushContent(content: JsonValue): void {
    this.#isInContent ||= listOf(content).some((part) => objectOf(part).type === 'reasoning')
  }

  /**
   * Returns the details since the last call as JSON. Null if they contain only text, which is sent back without them.
   * An empty list if the server accepts no reasoning that this wire can send back.
   */
  take(): string | null {
    if (!this.#isSealed) return this.#isInContent ? '[]' : null
    const json = printValue(this.#details)
    this.#details = []
    this.#isSealed = false
    return json
  }

  #add(detail: JsonObject): void {
    const last = this.#details.at(-1)
    const field = textFields.get(detail.type)
    if (!last || field === undefined || !continues(detail, last, field)) {
      this.#details.push(detail)
      return
    }
    const text = (textOrNull(last[field]) ?? '') + (textOrNull(detail[field]) ?? '')
    const given = Object.entries(detail).filter(([, value]) => !isAbsent(value))
    this.#details[this.#details.length - 1] = { ...last, ...Object.fromEntries(given), [field]: text }
  }
}

/**
 * Returns the details that a client has sent back in the signatures of its reasoning, without details of another
 * vendor's model.
 */
export function detailsOf(parts: readonly Part[], model: string): readonly JsonObject[] {
  return parts.flatMap((part) => {
    if (part.kind !== 'reasoning' || part.signature?.kind !== 'encrypted') return []
    const details = detailsIn(part.signature.data)
    return details.some(({ format }) => isForeign(textOrNull(format) ?? '', model)) ? [] : details
  })
}

function detailsIn(json: string): readonly JsonObject[] {
  let details: JsonValue
  try {
    details = parseValue(json)
  } catch {
    return []
  }
  return listOf(details)
    .filter(isObject)
    .filter(({ type }) => textOrNull(type)?.startsWith('reasoning.') === true)
}

/** False if the format or the model names no vendor of the table. */
function isForeign(format: string, model: string): boolean {
  const vendor = vendors.find(([prefix]) => model.includes(prefix))
  const writer = vendors.find(([, name]) => format.includes(name))
  return vendor !== undefined && writer !== undefined && vendor !== writer
}

/** The prefixes of OpenRouter's model names, and a part of the formats of these vendors' details. */
const vendors: readonly (readonly [prefix: string, name: string])[] = [
  ['anthropic/', 'claude'],
  ['google/', 'gemini'],
  ['openai/', 'openai'],
  ['x-ai/', 'xai'],
]

/** An encrypted detail is always complete. */
const textFields: ReadonlyMap<JsonValue, 'text' | 'summary'> = new Map([
  ['reasoning.text', 'text'],
  ['reasoning.summary', 'summary'],
])

/** A signature ends a text, so a later text is another detail. */
function continues(detail: JsonObject, last: JsonObject, field: string): boolean {
  if (detail.type !== last.type || detail.index !== last.index) return false
  return !textOrNull(last.signature) || !textOrNull(detail[field])
}
