import { isAbsent, isObject, listOf, objectOf, printValue, textOrNull } from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import type { Part, TextPart, ToolCallPart, ToolResultPart, Turn } from '#convert/neutral-format.ts'
import { mustBe, refuseForRoute } from '#wire/wire-request.ts'
import { cacheOf } from '#convert/capabilities/find-and-map-parts.ts'
import { joinTurns } from '#convert/turns-and-content.ts'
import { readCacheMark } from '#convert/messages/read-content.ts'
import { readParts, readResultParts, readTexts } from './read-parts.ts'
import { reasoningOf } from './reasoning-signatures.ts'

export interface ChatTurns {
  readonly instructions: readonly TextPart[]
  readonly turns: readonly Turn[]
  /** Fields of messages for which no other wire has a field. */
  readonly others: readonly string[]
}

/** In a message with a tool result, `name` is the name of the function. */
const resultRoles: ReadonlySet<JsonValue> = new Set(['function', 'tool'])

/** Tool results become parts of a user turn. */
export function readMessages(messages: JsonValue): ChatTurns {
  const instructions: TextPart[] = []
  const turns: Turn[] = []
  const calls = new Map<string, ToolCallPart>()
  const open = new OpenCalls()
  const others = new Set<string>()
  for (const [i, message] of listOf(messages).entries()) {
    const path = `messages.${i}`
    if (!isObject(message)) mustBe(path, 'an object')
    if (!isAbsent(message.name) && !resultRoles.has(message.role)) others.add('messages.name')
    switch (message.role) {
      case 'system':
      case 'developer': {
        const texts = withMark(readTexts(message.content, `${path}.content`), message, others)
        if (turns.length === 0) instructions.push(...texts)
        else turns.push({ role: 'system', parts: texts })
        break
      }
      case 'user':
        turns.push({
          role: 'user',
          parts: withMark(readParts(message.content, `${path}.content`), message, others),
        })
        break
      case 'assistant': {
        const parts = withMark(readAssistant(message, path), message, others)
        for (const part of parts) {
          if (part.kind !== 'tool_call') continue
          calls.set(part.id, part)
          open.add(part)
        }
        turns.push({ role: 'assistant', parts })
        break
      }
      case 'tool': {
        const result = readResult(message, path, calls)
        open.answer(result.callId)
        turns.push({ role: 'user', parts: withMark([result], message, others) })
        break
      }
      // In the old functions API, a call has no ID, and a result names its function.
      case 'function':
        turns.push({
          role: 'user',
          parts: withMark([readFunctionResult(message, path, open)], message, others),
        })
        break
      default:
        mustBe(`${path}.role`, 'system, developer, user, assistant, tool or function')
    }
  }
  return { instructions, turns: joinTurns(turns), others: [...others] }
}

/** A mark on a message applies to its last part that can have a mark, as in LiteLLM. */
function withMark<Read extends Part>(
  parts: readonly Read[],
  message: JsonObject,
  others: Set<string>,
): readonly Read[] {
  const mark = readCacheMark(message.cache_control)
  if (mark === null) return parts
  const at = parts.findLastIndex(isMarkable)
  if (at < 0) others.add('messages.cache_control')
  return parts.map((part, i) =>
    i === at && cacheOf(part) === null
      ? { ...part, cache: mark, cacheField: 'messages.cache_control' }
      : part,
  )
}

/** Anthropic rejects marks on empty texts. */
function isMarkable(part: Part): boolean {
  return 'cache' in part && (part.kind !== 'text' || part.text !== '')
}

function readResult(
  message: JsonObject,
  path: string,
  calls: ReadonlyMap<string, ToolCallPart>,
): ToolResultPart {
  const callId = textOrNull(message.tool_call_id) ?? mustBe(`${path}.tool_call_id`, 'the ID of a tool call')
  const call = calls.get(callId)
  return {
    kind: 'tool_result',
    callId,
    name: call?.name ?? null,
    parts: readResultParts(message.content, `${path}.content`),
    isError: false,
    isCustom: call?.isCustom ?? false,
    cache: null,
  }
}

/** The calls without results. A conversation may have thousands of calls, so they are kept by the name of the function. */
class OpenCalls {
  readonly #byName = new Map<string, ToolCallPart[]>()
  readonly #answered = new Set<string>()

  add(call: ToolCallPart): void {
    const list = this.#byName.get(call.name)
    if (list === undefined) this.#byName.set(call.name, [call])
    else list.push(call)
  }

  answer(id: string): void {
    this.#answered.add(id)
  }

  /** Returns the newest call of the function that has no result yet, and notes its result. */
  takeNewest(name: string): ToolCallPart | null {
    const list = this.#byName.get(name) ?? []
    for (let call = list.pop(); call !== undefined; call = list.pop()) {
      if (this.#answered.has(call.id)) continue
      this.answer(call.id)
      return call
    }
    return null
  }
}

function readFunctionResult(message: JsonObject, path: string, open: OpenCalls): ToolResultPart {
  const name = textOrNull(message.name) ?? mustBe(`${path}.name`, 'the name of a function')
  const call =
    open.takeNewest(name) ?? mustBe(path, `the result of an earlier function_call of ${name.slice(0, 64)}`)
  return {
    kind: 'tool_result',
    callId: call.id,
    name,
    parts: readTexts(message.content, `${path}.content`).filter(({ text }) => text !== ''),
    isError: false,
    isCustom: false,
    cache: null,
  }
}

function readAssistant(message: JsonObject, path: string): readonly Part[] {
  for (const [field, reason] of Object.entries(refused))
    if (!isAbsent(message[field])) refuseForRoute(`${path}.${field}`, reason)
  const content = readParts(message.content, `${path}.content`)
  const refusal = textOrNull(message.refusal)
  const said: Part[] = content.filter((part) => part.kind !== 'text' || part.text !== '')
  if (refusal) said.push({ kind: 'refusal', text: refusal })
  const calls: Part[] = []
  const signedFirst: Part[] = []
  let hasSigned = false
  for (const [i, item] of listOf(message.tool_calls).entries()) {
    const call = readCall(item, `${path}.tool_calls.${i}`)
    const signed = reasoningOf(objectOf(item).extra_content)
    // Gemini needs only the signature of a call, without the thoughts before the call.
    hasSigned ||= signed.some(({ signature, text }) => text !== '' || signature?.kind === 'thought_signature')
    // The reasoning of the first tool call goes before the text. A signature of the call itself stays with the call.
    for (const part of signed)
      if (i === 0 && part.signature?.kind !== 'thought_signature') signedFirst.push(part)
      else calls.push(part)
    calls.push(call)
  }
  if (!isAbsent(message.function_call)) {
    const call = { id: `call_${path.replace('.', '_')}`, type: 'function', function: message.function_call }
    calls.push(readCall(call, `${path}.function_call`))
  }
  const thought = hasSigned ? null : (textOrNull(message.reasoning_content) ?? textOrNull(message.reasoning))
  const parts = [...signedFirst, ...said, ...calls]
  if (thought) parts.unshift({ kind: 'reasoning', text: thought, signature: null })
  // An empty message remains a turn, because it separates two user turns.
  return parts.length > 0 ? parts : [{ kind: 'text', text: '', cache: null }]
}

const refused: Readonly<Record<string, string>> = {
  audio: 'audio that is stored at another provider cannot be sent; send a transcript as text',
}

function readCall(item: JsonValue, path: string): ToolCallPart {
  const call = objectOf(item)
  const isCustom = call.type === 'custom'
  const { name, arguments: given, input } = objectOf(isCustom ? call.custom : call.function)
  if (typeof call.id !== 'string' || typeof name !== 'string')
    mustBe(path, 'a tool call with an id, a type and a name')
  const text = isCustom ? input : given
  // Some clients send the arguments as an object. OpenAI rejects such arguments, but other servers accept them.
  const written = typeof text === 'string' ? text : isAbsent(text) ? '' : printValue(text)
  return {
    kind: 'tool_call',
    id: call.id,
    name,
    arguments: written === '' && !isCustom ? '{}' : written,
    isCustom,
  }
}
