import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import { asMarkedUserTurn, joinTurns } from '#convert/turns-and-content.ts'
import { abilitiesOf } from '#convert/known-restrictions-of-models.ts'
import type { NeutralRequest, Turn } from '#convert/neutral-format.ts'
import type { Capability, Destination } from './capability-type.ts'

const continuesNothing =
  'the provider of this model cannot continue an answer; end the conversation with a user message'

/** The wires whose clients expect the model to continue an assistant message at the end of the conversation. */
const continuesAnswers: ReadonlySet<WireName> = new Set(['messages', 'generate', 'converse'])

const lastTurnFields: Capability['field'] = { chat: 'messages', responses: 'input', cohere: 'messages' }

/**
 * Capabilities of a conversation that ends with an assistant message (docs/reference/conversions.md "Roles and
 * instructions").
 */
export const lastTurnCapabilities: readonly Capability[] = [
  {
    name: 'turns.prefill',
    what: 'a prefilled answer that the model continues (Claude 4.6 and later cannot continue an answer)',
    field: { messages: 'messages', generate: 'contents', converse: 'messages' },
    treatment: {
      chat: 'refused',
      messages: 'refused',
      responses: 'refused',
      converse: 'refused',
      cohere: 'refused',
    },
    isIn: ({ turns }, to, from) =>
      continuesAnswers.has(from) && turns.at(-1)?.role === 'assistant' && !canContinue(to),
    refusal: continuesNothing,
  },
  {
    name: 'turns.assistantLast.text',
    what: 'texts of an assistant message that ends a conversation, sent as marked text in a user turn, if the model cannot continue an answer (Claude 4.6 and later, and models of Converse and Cohere)',
    field: lastTurnFields,
    treatment: { messages: 'changed', converse: 'changed', cohere: 'changed' },
    isIn: ({ turns }, to, from) =>
      !continuesAnswers.has(from) && isAssistantsText(textsOfTurn(turns.at(-1))) && !canContinue(to),
    without: (request) => ({
      ...request,
      turns: joinTurns(
        request.turns.map((turn, i, { length }) =>
          i === length - 1 ? asMarkedUserTurn(textsOfTurn(turn), 'assistant') : turn,
        ),
      ),
    }),
  },
  {
    name: 'turns.assistantLast.calls',
    what: 'tool calls without results at the end of a conversation, if the model cannot continue an answer (Claude 4.6 and later, and models of Converse and Cohere)',
    field: lastTurnFields,
    treatment: { messages: 'refused', converse: 'refused', cohere: 'refused' },
    isIn: ({ turns }, to, from) =>
      !continuesAnswers.has(from) && turns.at(-1)?.role === 'assistant' && !canContinue(to),
    refusal: continuesNothing,
  },
  {
    name: 'turns.assistantLast',
    what: 'a conversation that ends with an assistant message, which the model continues',
    field: lastTurnFields,
    treatment: { messages: 'changed', generate: 'changed' },
    isIn: ({ turns }, _to, from) => !continuesAnswers.has(from) && turns.at(-1)?.role === 'assistant',
    without: withTrimmedEnd,
  },
]

export function isAssistantsText(turn: Turn | undefined): boolean {
  return turn?.role === 'assistant' && turn.parts.every(({ kind }) => kind === 'text')
}

/** Returns the turn without its reasoning, because only a turn of the model can contain reasoning. */
function textsOfTurn<Given extends Turn | undefined>(turn: Given): Given {
  return turn && { ...turn, parts: turn.parts.filter(({ kind }) => kind !== 'reasoning') }
}

function canContinue({ model, wire }: Destination): boolean {
  return wire === 'generate' || (wire === 'messages' && abilitiesOf(model).continuesAnswers)
}

/** Claude rejects white space at the end of an answer prefix. */
function withTrimmedEnd(request: NeutralRequest, { wire }: Destination): NeutralRequest {
  const last = request.turns.at(-1)
  const text = last?.parts.at(-1)
  if (wire !== 'messages' || !last || text?.kind !== 'text') return request
  const end: Turn = {
    role: last.role,
    parts: [...last.parts.slice(0, -1), { ...text, text: text.text.trimEnd() }],
  }
  return { ...request, turns: [...request.turns.slice(0, -1), end] }
}
