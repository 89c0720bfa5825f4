import { isObject, listOf, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'

interface PromptText {
  readonly text: string
  /** Number of turns or items, around each of which a prompt template adds tokens. */
  readonly turns: number
}

/**
 * Collects the text that the input bound counts (input-bound.ts): everything except settings, roles, types and media.
 * Tools, schemas and calls are collected as JSON, because templates render them similarly.
 * @param body a body that a wire has accepted
 * @param settings fields that no model reads, at the top level and in `generationConfig`
 */
export function promptText(body: JsonObject, settings: ReadonlySet<string>): PromptText {
  const texts: string[] = []
  let turns = 0
  for (const [name, value] of fieldsOf(body)) {
    if (settings.has(name) || value === null) continue
    if (name === 'generationConfig' && isObject(value)) {
      for (const [setting, other] of fieldsOf(value)) if (!settings.has(setting)) addValue(texts, other)
    } else if (turnLists.has(name) && typeof value !== 'string') {
      const items = isObject(value) ? [value] : listOf(value)
      turns += items.length
      for (const item of items) addTurn(texts, item)
    } else if (name === 'system') addContent(texts, value)
    else {
      if (turnLists.has(name)) turns++
      addValue(texts, value)
    }
  }
  return { text: texts.join('\n'), turns }
}

const turnLists: ReadonlySet<string> = new Set(['messages', 'contents', 'input', 'systemInstruction'])

function addTurn(texts: string[], turn: JsonValue): void {
  if (!isObject(turn)) return addValue(texts, turn)
  const others: Record<string, JsonValue> = {}
  let hasOthers = false
  for (const [name, value] of fieldsOf(turn)) {
    if (name === 'content' || name === 'parts') addContent(texts, value)
    else if (!isLabel(name, value)) {
      others[name] = value
      hasOthers = true
    }
  }
  if (hasOthers) addValue(texts, others)
}

/** A text part counts as its values, without the JSON around them. */
function addContent(texts: string[], content: JsonValue): void {
  if (!Array.isArray(content)) return addValue(texts, content)
  for (const part of listOf(content)) {
    const isText = isObject(part) && typeof part.text === 'string'
    if (isText) for (const [name, value] of fieldsOf(part)) addLabeled(texts, name, value)
    else addValue(texts, part)
  }
}

function addLabeled(texts: string[], name: string, value: JsonValue): void {
  if (!isLabel(name, value)) addValue(texts, value)
}

function addValue(texts: string[], value: JsonValue): void {
  if (typeof value === 'string') texts.push(value)
  else if (value !== undefined) texts.push(JSON.stringify(value, withoutMedia))
}

/** Media data does not count as text, because separate rules estimate the tokens of media. */
function withoutMedia(this: unknown, name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  // In Converse, the data of media is in the member `source` of the object that states the format.
  const isData = (name === 'data' && isMedia(this)) || (name === 'bytes' && isOnly(this, value))
  return isData || name === 'file_data' || dataUrl.test(value) ? '' : value
}

function isOnly(object: unknown, value: string): boolean {
  const values = typeof object === 'object' && object !== null ? Object.values(object) : []
  return values.length === 1 && values[0] === value
}

/** A document that is plain text is not media. */
function isMedia(object: unknown): boolean {
  if (typeof object !== 'object' || object === null) return false
  return mediaTypes.some((name) => name in object) && !('type' in object && object.type === 'text')
}

const mediaTypes = ['mimeType', 'mime_type', 'media_type', 'format']
const dataUrl = /^data:[\w.+-]+\/[\w.+-]+[;,]/

function isLabel(name: string, value: JsonValue): boolean {
  return (name === 'role' || name === 'type') && typeof value === 'string' && value.length <= labelCharacters
}

const labelCharacters = 22

function fieldsOf(object: JsonObject): [string, JsonValue][] {
  return Object.entries(object)
}
