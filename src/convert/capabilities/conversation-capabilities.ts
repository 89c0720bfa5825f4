import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import { isOwnSignature } from '#wire/tagged-reasoning-signatures.ts'
import { abilitiesOf } from '#convert/known-restrictions-of-models.ts'
import type { NeutralRequest, Part, ReasoningPart, ToolResultPart, Turn } from '#convert/neutral-format.ts'
import { asMarkedUserTurn, asRecord, joinTurns } from '#convert/turns-and-content.ts'
import type { Destination, Capability } from './capability-type.ts'
import { isAssistantsText, lastTurnCapabilities } from './last-turn-capabilities.ts'
import { mapParts, partsOf, resultsFirst } from './find-and-map-parts.ts'

const turnFields: Capability['field'] = {
  chat: 'messages',
  messages: 'messages',
  generate: 'contents',
  responses: 'input',
  converse: 'messages',
  cohere: 'messages',
}

const reasoningFields: Capability['field'] = {
  chat: 'messages.reasoning_content',
  messages: 'messages.content.thinking',
  generate: 'contents.parts.thoughtSignature',
  responses: 'input.reasoning',
  converse: 'messages.content.reasoningContent',
  cohere: 'messages.content.thinking',
}

export const conversationCapabilities: readonly Capability[] = [
  {
    name: 'toolResult.error',
    what: 'the error flag of a tool result, written as text at the beginning of the result',
    field: {
      messages: 'messages.content.tool_result.is_error',
      generate: 'contents.parts.functionResponse.response.error',
      converse: 'messages.content.toolResult.status',
    },
    treatment: { chat: 'changed', responses: 'changed', converse: 'changed', cohere: 'changed' },
    isIn: (request) => partsOf(request).some((part) => part.kind === 'tool_result' && part.isError),
    without: (request) =>
      mapParts(request, (part) => [part.kind === 'tool_result' && part.isError ? told(part) : part]),
  },
  {
    name: 'refusal',
    what: 'refusals of earlier turns, sent as text',
    field: { chat: 'messages.refusal', responses: 'input.content.refusal' },
    treatment: {
      compatible: 'changed',
      messages: 'changed',
      generate: 'changed',
      converse: 'changed',
      cohere: 'changed',
    },
    isIn: (request) => partsOf(request).some(({ kind }) => kind === 'refusal'),
    without: (request) =>
      mapParts(request, (part) => [
        part.kind === 'refusal' ? { kind: 'text', text: part.text, cache: null } : part,
      ]),
  },
  {
    name: 'reasoning.foreign',
    what: 'reasoning of earlier turns that has no signature or comes from another account',
    field: reasoningFields,
    treatment: 'lost',
    isIn: (request, to) => partsOf(request).some((part) => isForeign(part, to)),
    without: (request, to) => mapParts(request, (part) => (isForeign(part, to) ? [] : [part])),
  },
  {
    name: 'turns.system',
    what: 'system text in the middle of a conversation, sent as marked text in a user turn',
    field: {
      chat: 'messages.role',
      messages: 'messages.role',
      responses: 'input.role',
      cohere: 'messages.role',
    },
    treatment: { messages: 'changed', generate: 'changed', converse: 'changed', cohere: 'changed' },
    isIn: ({ turns }) => turns.some(({ role }) => role === 'system'),
    without: withSystemFolded,
  },
  {
    name: 'turns.textAfterCall',
    what: 'text after a tool call in the same assistant turn, moved before the tool call',
    field: {
      messages: 'messages.content',
      generate: 'contents.parts',
      responses: 'input',
      converse: 'messages.content',
    },
    treatment: { chat: 'irrelevant', converse: 'irrelevant', cohere: 'irrelevant' },
    isIn: ({ turns }) => turns.some(({ role, parts }) => role === 'assistant' && hasLateText(parts)),
    without: (request) => ({
      ...request,
      turns: request.turns.map(({ role, parts }) => ({
        role,
        parts: role === 'assistant' ? callsLast(parts) : parts,
      })),
    }),
  },
  {
    name: 'turns.resultsLate',
    what: 'tool results after other parts of the user turn, moved before these parts',
    field: {
      messages: 'messages.content',
      generate: 'contents.parts',
      responses: 'input',
      converse: 'messages.content',
    },
    treatment: 'irrelevant',
    isIn: ({ turns }) => turns.some(({ parts }) => hasLateResult(parts)),
    without: (request) => ({
      ...request,
      turns: request.turns.map(({ role, parts }) => ({ role, parts: resultsFirst(parts) })),
    }),
  },
  {
    name: 'turns.blank',
    what: 'empty texts',
    field: {
      chat: 'messages.content',
      messages: 'messages.content',
      generate: 'contents.parts.text',
      responses: 'input.content',
      converse: 'messages.content',
      cohere: 'messages.content',
    },
    treatment: {
      messages: 'irrelevant',
      generate: 'irrelevant',
      converse: 'irrelevant',
      cohere: 'irrelevant',
    },
    isIn: (request, to) =>
      [...request.instructions, ...partsOf(request)].some((part) => isBlank(part, to.wire)),
    without: (request, to) => ({
      ...mapParts(request, (part) => (isBlankText(part, to.wire) ? [] : [withoutBlanks(part, to.wire)])),
      instructions: request.instructions.filter((part) => !isBlankText(part, to.wire)),
    }),
  },
  {
    name: 'reasoning.unsigned',
    what: 'thinking, if the pending tool calls were made without thinking (Claude with a thinking budget)',
    field: {
      chat: 'reasoning_effort',
      generate: 'generationConfig.thinkingConfig',
      responses: 'reasoning',
      converse: 'additionalModelRequestFields.thinking',
      cohere: 'thinking',
    },
    treatment: { messages: 'lost' },
    isIn: (request, { model }) =>
      request.reasoning !== null && abilitiesOf(model).thinking === 'budget' && hasUnsignedCalls(request),
    without: (request) => ({ ...request, reasoning: null }),
  },
  {
    name: 'turns.systemAlone',
    what: 'system text without any message, sent as a user turn',
    field: {
      chat: 'messages.role',
      messages: 'system',
      generate: 'systemInstruction',
      responses: 'input.role',
      converse: 'system',
      cohere: 'messages.role',
    },
    treatment: { messages: 'changed', generate: 'changed', converse: 'changed', cohere: 'changed' },
    isIn: ({ instructions, turns }) => turns.length === 0 && instructions.length > 0,
    without: (request) => ({
      ...request,
      instructions: [],
      turns: [{ role: 'user', parts: request.instructions }],
    }),
  },
  {
    name: 'turns.none',
    what: 'a conversation without a user message',
    field: turnFields,
    treatment: { messages: 'refused', generate: 'refused', converse: 'refused', cohere: 'refused' },
    isIn: ({ turns }) => !turns.some(({ role }) => role === 'user'),
    refusal: 'the provider of this model requires at least one user message with content',
  },
  {
    name: 'turns.assistantFirst.text',
    what: 'texts of an assistant message that starts a conversation, sent as marked text in the first user turn',
    field: turnFields,
    treatment: { messages: 'changed', generate: 'changed', converse: 'changed', cohere: 'changed' },
    isIn: ({ turns }) => isAssistantsText(turns[0]),
    without: (request) => ({
      ...request,
      turns: joinTurns(
        request.turns.map((turn, i) => (i === 0 ? asMarkedUserTurn(turn, 'assistant') : turn)),
      ),
    }),
  },
  {
    name: 'turns.assistantFirst.instructed',
    what: 'system text before a conversation that starts with a tool call, sent as a user turn',
    field: turnFields,
    treatment: { messages: 'changed', generate: 'changed', converse: 'changed', cohere: 'changed' },
    isIn: ({ instructions, turns }) => startsWithCall(turns) && instructions.length > 0,
    without: (request) => ({
      ...request,
      instructions: [],
      turns: [{ role: 'user', parts: request.instructions }, ...request.turns],
    }),
  },
  {
    name: 'turns.assistantFirst',
    what: 'tool calls that start a conversation without system text, and their results, sent as marked text in the first user turn',
    field: turnFields,
    treatment: { messages: 'changed', generate: 'changed', converse: 'changed', cohere: 'changed' },
    isIn: ({ turns }) => startsWithCall(turns),
    without: withFirstCallsAsText,
  },
  ...lastTurnCapabilities,
  {
    name: 'turns.afterResults',
    what: 'a user or system turn directly after tool results, after a short assistant message (Mistral)',
    field: turnFields,
    treatment: { chat: 'carried', compatible: 'changed' },
    isIn: ({ turns }, { dialect }) => dialect === 'mistral' && turns.some((_, i) => isAfterResults(turns, i)),
    without: (request) => ({ ...request, turns: request.turns.flatMap(withAnswerToResults) }),
  },
]

/** Returns whether the turn has tool results, and other content of the user or the system comes next. */
function isAfterResults(turns: readonly Turn[], i: number): boolean {
  const { parts = [] } = turns[i] ?? {}
  if (!parts.some(isResult)) return false
  return !parts.every(isResult) || turns[i + 1]?.role === 'system'
}

function isResult({ kind }: Part): boolean {
  return kind === 'tool_result'
}

/** Mistral rejects a user or system message directly after a tool message (docs/reference/wires.md "Mistral"). */
function withAnswerToResults(turn: Turn, i: number, turns: readonly Turn[]): readonly Turn[] {
  if (!isAfterResults(turns, i)) return [turn]
  const said = turn.parts.filter((part) => !isResult(part))
  const answer: Turn = { role: 'assistant', parts: [{ kind: 'text', text: 'OK.', cache: null }] }
  const results: Turn = { role: 'user', parts: turn.parts.filter(isResult) }
  return [results, answer, ...(said.length > 0 ? [{ role: 'user', parts: said } as const] : [])]
}

function told(part: ToolResultPart): ToolResultPart {
  const at = part.parts.findIndex(({ kind }) => kind === 'text')
  const first = part.parts[at]
  const text = first?.kind === 'text' ? `[tool error] ${first.text}` : '[tool error]'
  const cache = first?.kind === 'text' ? first.cache : null
  return {
    ...part,
    isError: false,
    parts: [{ kind: 'text', text, cache }, ...part.parts.filter((_, i) => i !== at)],
  }
}

/** Only the account that created a signature can use it, and a provider rejects reasoning without a valid signature. */
function isForeign(part: Part, to: Destination): part is ReasoningPart {
  if (part.kind !== 'reasoning') return false
  return part.signature === null || !isOwnSignature(part.signature, to)
}

function hasUnsignedCalls({ turns }: NeutralRequest): boolean {
  const last = turns.at(-1)
  const calling = turns.at(-2)
  return (
    last?.role === 'user' &&
    last.parts.some(({ kind }) => kind === 'tool_result') &&
    calling?.parts.some(({ kind }) => kind === 'reasoning') === false
  )
}

function withSystemFolded(request: NeutralRequest): NeutralRequest {
  const turns = request.turns.map(({ role, parts }): Turn => {
    return role === 'system' ? asMarkedUserTurn({ parts }, 'system') : { role, parts }
  })
  const joined = joinTurns(turns).map(({ role, parts }) => ({ role, parts: resultsFirst(parts) }))
  return { ...request, turns: joined }
}

/** A user turn must precede a call. */
function withFirstCallsAsText(request: NeutralRequest): NeutralRequest {
  const [first, ...others] = request.turns
  if (first === undefined) return request
  const ids = new Set<string>()
  const said = first.parts.flatMap((part): readonly Part[] => {
    if (part.kind !== 'tool_call') return part.kind === 'text' ? [part] : []
    ids.add(part.id)
    return [{ kind: 'text', text: asRecord(`${part.name} ${part.arguments}`), cache: null }]
  })
  const later = others.map(({ parts, role }) => ({
    role,
    parts: parts.flatMap((part) =>
      part.kind === 'tool_result' && ids.has(part.callId)
        ? asMarkedUserTurn(part.isError ? told(part) : part, 'tool_result').parts
        : [part],
    ),
  }))
  return { ...request, turns: joinTurns([asMarkedUserTurn({ parts: said }, 'assistant'), ...later]) }
}

function startsWithCall([first]: readonly Turn[]): boolean {
  return first?.role === 'assistant' && !isAssistantsText(first)
}

function hasLateText(parts: readonly Part[]): boolean {
  const call = parts.findIndex(({ kind }) => kind === 'tool_call')
  return call >= 0 && parts.slice(call).some(({ kind }) => kind !== 'tool_call')
}

function callsLast(parts: readonly Part[]): readonly Part[] {
  return [
    ...parts.filter(({ kind }) => kind !== 'tool_call'),
    ...parts.filter(({ kind }) => kind === 'tool_call'),
  ]
}

function hasLateResult(parts: readonly Part[]): boolean {
  const other = parts.findIndex(({ kind }) => kind !== 'tool_result')
  return other >= 0 && parts.slice(other).some(({ kind }) => kind === 'tool_result')
}

/** The messages wire and Converse also reject texts of only white space (docs/reference/conversions.md "Content"). */
function isBlank(part: Part, to: WireName): boolean {
  if (part.kind === 'tool_result') return part.parts.some((inner) => isBlankText(inner, to))
  return isBlankText(part, to)
}

function isBlankText(part: Part, to: WireName): boolean {
  const isTrimmed = to === 'messages' || to === 'converse'
  return part.kind === 'text' && (isTrimmed ? part.text.trim() : part.text) === ''
}

function withoutBlanks(part: Part, to: WireName): Part {
  return part.kind === 'tool_result'
    ? { ...part, parts: part.parts.filter((inner) => !isBlankText(inner, to)) }
    : part
}
