import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { isAbsent, isObject, listOf, objectOf, printValue, textOrNull } from '#wire/text/json-values.ts'
import type { Part, TextPart, ToolCallPart, Turn } from '#convert/neutral.ts'
import { fault, isFault, type RequestFault } from '#wire/request.ts'
import { joinTurns } from '#convert/turns.ts'
import { readContent, readTexts } from './read-parts.ts'
import { reasoningOf } from './signatures.ts'

export interface ChatTurns {
  readonly instructions: readonly TextPart[]
  readonly turns: readonly Turn[]
  /** A message names who speaks, which no other wire has a place for. */
  readonly hasNames: boolean
}

/** Messages -> instructions and turns. What tools gave is a part of the user's turn. */
export function readMessages(messages: JsonValue): ChatTurns | RequestFault {
  const instructions: TextPart[] = []
  const turns: Turn[] = []
  const calls = new Map<string, ToolCallPart>()
  let hasNames = false
  for (const [i, message] of listOf(messages).entries()) {
    const path = `messages.${i}`
    if (!isObject(message)) return fault('invalid_request', path, 'A message must be an object.')
    if (!isAbsent(message.name)) hasNames = true
    switch (message.role) {
      case 'system':
      case 'developer': {
        const texts = readTexts(message.content, `${path}.content`)
        if (isFault(texts)) return texts
        if (turns.length === 0) instructions.push(...texts)
        else turns.push({ role: 'system', parts: texts })
        break
      }
      case 'user': {
        const parts = readContent(message.content, `${path}.content`)
        if (isFault(parts)) return parts
        turns.push({ role: 'user', parts })
        break
      }
      case 'assistant': {
        const parts = readAssistant(message, path)
        if (isFault(parts)) return parts
        for (const part of parts) if (part.kind === 'tool_call') calls.set(part.id, part)
        turns.push({ role: 'assistant', parts })
        break
      }
      case 'tool': {
        const result = readResult(message, path, calls)
        if (isFault(result)) return result
        turns.push({ role: 'user', parts: [result] })
        break
      }
      default:
        return fault(
          'invalid_request',
          `${path}.role`,
          `The field ${path}.role must be system, developer, user, assistant or tool.`,
        )
    }
  }
  return { instructions, turns: joinTurns(turns), hasNames }
}

function readResult(
  message: JsonObject,
  path: string,
  calls: ReadonlyMap<string, ToolCallPart>,
): Part | RequestFault {
  const callId = textOrNull(message.tool_call_id)
  if (callId === null)
    return fault(
      'invalid_request',
      `${path}.tool_call_id`,
      `The field ${path}.tool_call_id must be the id of a call.`,
    )
  const parts = readTexts(message.content, `${path}.content`)
  if (isFault(parts)) return parts
  const call = calls.get(callId)
  return {
    kind: 'tool_result',
    callId,
    name: call?.name ?? null,
    parts: parts.filter(({ text }) => text !== ''),
    isError: false,
    isCustom: call?.isCustom ?? false,
    cache: null,
  }
}

function readAssistant(message: JsonObject, path: string): readonly Part[] | RequestFault {
  for (const field of ['audio', 'function_call']) {
    if (isAbsent(message[field])) continue
    const reason =
      field === 'audio'
        ? 'audio that only its provider keeps cannot be sent to another one; send its transcript as text'
        : 'calls of the old kind are not taken here; send tool_calls'
    return fault('unsupported_for_route', `${path}.${field}`, reason)
  }
  const content = readContent(message.content, `${path}.content`)
  if (isFault(content)) return content
  const refusal = textOrNull(message.refusal)
  const said: Part[] = content.filter((part) => part.kind !== 'text' || part.text !== '')
  if (refusal) said.push({ kind: 'refusal', text: refusal })
  const calls: Part[] = []
  const signedFirst: Part[] = []
  let hasSigned = false
  for (const [i, item] of listOf(message.tool_calls).entries()) {
    const call = readCall(item, `${path}.tool_calls.${i}`)
    if (isFault(call)) return call
    const signed = reasoningOf(objectOf(item).extra_content)
    hasSigned ||= signed.some(({ text }) => text !== '')
    // What was thought before the first call was thought before the text too, but for a call's own signature.
    for (const part of signed)
      if (i === 0 && part.signature?.kind !== 'thought_signature') signedFirst.push(part)
      else calls.push(part)
    calls.push(call)
  }
  const thought = hasSigned ? null : (textOrNull(message.reasoning_content) ?? textOrNull(message.reasoning))
  const parts = [...signedFirst, ...said, ...calls]
  if (thought) parts.unshift({ kind: 'reasoning', text: thought, signature: null })
  // A message with nothing in it is still a turn: it stands between two of the user.
  return parts.length > 0 ? parts : [{ kind: 'text', text: '', cache: null }]
}

function readCall(item: JsonValue, path: string): ToolCallPart | RequestFault {
  const call = objectOf(item)
  const isCustom = call.type === 'custom'
  const { name, arguments: given, input } = objectOf(isCustom ? call.custom : call.function)
  if (typeof call.id !== 'string' || typeof name !== 'string') {
    return fault(
      'invalid_request',
      path,
      `The field ${path} must be a call of a tool, with an id, a type and a name.`,
    )
  }
  const text = isCustom ? input : given
  // Some clients give the arguments as an object, which the wire's own service refuses and others take.
  const written = typeof text === 'string' ? text : isAbsent(text) ? '' : printValue(text)
  return {
    kind: 'tool_call',
    id: call.id,
    name,
    arguments: written === '' && !isCustom ? '{}' : written,
    isCustom,
  }
}
