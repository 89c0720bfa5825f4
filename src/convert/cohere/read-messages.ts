import { isAbsent, isObject, listOf, objectOf, printValue, textOrNull } from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { mustBe, refuse, refuseForRoute } from '#wire/wire-request.ts'
import { joinTurns, readContent, textsOnly } from '#convert/turns-and-content.ts'
import type { FilePart, Part, TextPart, ToolCallPart, Turn } from '#convert/neutral-format.ts'
import { readImage } from '#convert/request-fields-of-openai-wires.ts'

interface CohereTurns {
  readonly instructions: readonly TextPart[]
  readonly turns: readonly Turn[]
}

/**
 * Tool results become parts of a user turn.
 * @param others gets the names of parts that the neutral form cannot express
 */
export function readMessages(messages: JsonValue, others: Set<string>): CohereTurns {
  const instructions: TextPart[] = []
  const turns: Turn[] = []
  const callNames = new Map<string, string>()
  for (const [i, message] of listOf(messages).entries()) {
    const path = `messages.${i}`
    if (!isObject(message)) mustBe(path, 'an object')
    // LiteLLM sends the function's name with a tool result.
    if (!isAbsent(message.name) && message.role !== 'tool') others.add('messages.name')
    const parts = readContent(message.content, `${path}.content`, readPart)
    switch (message.role) {
      case 'system': {
        const texts = textsOnly(parts, `${path}.content`)
        if (turns.length === 0) instructions.push(...texts)
        else turns.push({ role: 'system', parts: texts })
        break
      }
      case 'user':
        turns.push({ role: 'user', parts })
        break
      case 'assistant':
        if (listOf(message.citations).length > 0) others.add('messages.citations')
        turns.push({ role: 'assistant', parts: readAssistant(message, parts, path, callNames) })
        break
      case 'tool':
        turns.push({ role: 'user', parts: [readResult(message, parts, path, callNames)] })
        break
      default:
        mustBe(`${path}.role`, 'system, user, assistant or tool')
    }
  }
  return { instructions, turns: joinTurns(turns) }
}

function readPart(item: JsonObject, path: string): Part {
  const type = textOrNull(item.type) ?? ''
  switch (type) {
    case 'text':
      return { kind: 'text', text: textOrNull(item.text) ?? mustBe(`${path}.text`, 'a string'), cache: null }
    case 'thinking':
      return { kind: 'reasoning', text: textOrNull(item.thinking) ?? '', signature: null }
    case 'image_url': {
      const { detail, url } = objectOf(item.image_url)
      return readImage({ url, detail, cache: null }, `${path}.image_url.url`)
    }
    case 'document':
      return readDocument(item.document, `${path}.document`)
    default:
      return refuseForRoute(
        path,
        `content of type ${type || 'unknown'} is not known to this model's provider; send text, image_url or document`,
      )
  }
}

/** The plan is the text that a model of Cohere writes before its tool calls. */
function readAssistant(
  message: JsonObject,
  content: readonly Part[],
  path: string,
  callNames: Map<string, string>,
): readonly Part[] {
  const plan = textOrNull(message.tool_plan)
  const calls = listOf(message.tool_calls).map((item, i) => readCall(item, `${path}.tool_calls.${i}`))
  for (const { id, name } of calls) callNames.set(id, name)
  const said = content.filter((part) => part.kind !== 'text' || part.text !== '')
  const parts: readonly Part[] = [
    ...said,
    ...(plan ? [{ kind: 'text', text: plan, cache: null } as const] : []),
    ...calls,
  ]
  // An empty message remains a turn, because it separates two user turns.
  return parts.length > 0 ? parts : [{ kind: 'text', text: '', cache: null }]
}

function readCall(item: JsonValue, path: string): ToolCallPart {
  const call = objectOf(item)
  const { arguments: given, name } = objectOf(call.function)
  if (typeof call.id !== 'string' || typeof name !== 'string')
    mustBe(path, 'a tool call with an id and a function with a name')
  const written = typeof given === 'string' ? given : isAbsent(given) ? '' : printValue(given)
  return { kind: 'tool_call', id: call.id, name, arguments: written || '{}', isCustom: false }
}

function readResult(
  message: JsonObject,
  content: readonly Part[],
  path: string,
  callNames: ReadonlyMap<string, string>,
): Part {
  const callId = textOrNull(message.tool_call_id) ?? mustBe(`${path}.tool_call_id`, 'the ID of a tool call')
  const parts = content.filter(
    (part) => part.kind === 'text' || part.kind === 'image' || part.kind === 'file',
  )
  if (parts.length < content.length)
    refuse(
      'invalid_request',
      `${path}.content`,
      `The field ${path}.content can contain only texts and documents.`,
    )
  return {
    kind: 'tool_result',
    callId,
    name: callNames.get(callId) ?? null,
    parts: parts.filter((part) => part.kind !== 'text' || part.text !== ''),
    isError: false,
    isCustom: false,
    cache: null,
  }
}

/**
 * A model of Cohere reads the names and the values of the fields, so the text has one line for each field. If a
 * document has only one field, and the field is a text, that text is used without the name.
 */
export function readDocument(document: JsonValue, path: string): FilePart {
  if (typeof document === 'string') return textFile(document, null)
  const { data, id } = objectOf(document)
  if (typeof data === 'string') return textFile(data, textOrNull(id))
  if (!isObject(data)) mustBe(path, 'a text, or an object with data')
  const name = textOrNull(data.title) ?? textOrNull(id)
  const fields = Object.entries(data).filter(([field, value]) => field !== 'title' && !isAbsent(value))
  const [first] = fields
  const texts = fields.map(([field, value]) => `${field}: ${textOrNull(value) ?? printValue(value)}`)
  const only = fields.length === 1 ? textOrNull(first?.[1]) : null
  return textFile(only ?? texts.join('\n'), name)
}

function textFile(text: string, name: string | null): FilePart {
  return { kind: 'file', source: { kind: 'text', text }, name, cache: null }
}
