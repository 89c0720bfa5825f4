import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import type { Usage } from '#money/usage.ts'
import type { WireError } from '#wire/stream/answer-stream.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { AnswerEncoder, EncoderOptions } from '#convert/codec.ts'
import type { FinishReason, NeutralEvent, ReasoningPart } from '#convert/neutral.ts'
import { chatErrorFrames } from '#wire/chat/errors.ts'
import { chatFrame, chatSpendFrames, type ChatHead } from '#wire/chat/chunks.ts'
import { extraContentOf } from './signatures.ts'
import { usageToChat } from '#wire/chat/usage.ts'

/**
 * Events -> the chunks of a chat-completions stream. Strict clients throw unless the role, each call's
 * type and name, and the finish come exactly once (wire.md 1.3). Finishes, the usage and `[DONE]` are kept
 * for `tail`.
 *
 * Reasoning is shown as `reasoning_content`, the name that most servers and clients of this wire share,
 * unless the client said that it does not want it: the wire has no switch for it, and what a provider
 * shows is shown.
 */
export class ChatEncoder implements AnswerEncoder {
  readonly #head: ChatHead
  readonly #wantsUsage: boolean
  readonly #showsThoughts: boolean
  /** Around a text, which is what nearly every chunk of a stream is. */
  readonly #beforeText: ByteText
  readonly #choices = new Map<number, ChoiceState>()
  #held: ByteText = ''

  constructor({ alias, callId, createdSeconds, request }: EncoderOptions) {
    this.#head = headOf(alias, callId, createdSeconds)
    this.#wantsUsage = request.wantsUsage
    this.#showsThoughts = request.reasoning?.isShown !== false
    const empty = chatFrame(this.#head, { choices: [] })
    this.#beforeText = `${empty.slice(0, empty.lastIndexOf(']'))}{"index":`
  }

  write(event: NeutralEvent): ByteText {
    switch (event.kind) {
      case 'text':
        return this.#text(event.choice, 'content', event.text)
      case 'refusal':
        this.#choice(event.choice).hasRefused = true
        return this.#text(event.choice, 'refusal', event.text)
      case 'reasoning':
        this.#choice(event.choice).thought += event.text
        return this.#showsThoughts ? this.#text(event.choice, 'reasoning_content', event.text) : ''
      case 'signature': {
        signature(this.#choice(event.choice), event.signature)
        return ''
      }
      case 'tool_call': {
        const call = callOf(event, takeSigned(this.#choice(event.choice)))
        this.#choice(event.choice).custom.set(event.slot, event.isCustom)
        return this.#delta(event.choice, { tool_calls: [{ index: event.slot, ...call }] })
      }
      case 'arguments': {
        const { choice, slot, text } = event
        const isCustom = this.#choice(choice).custom.get(slot) ?? false
        const piece = isCustom ? { custom: { input: text } } : { function: { arguments: text } }
        return this.#delta(choice, { tool_calls: [{ index: slot, ...piece }] })
      }
      case 'citation':
        return this.#delta(event.choice, { annotations: [annotationOf(event.citation)] })
      case 'logprobs':
        return this.#delta(event.choice, {}, { logprobs: { content: event.tokens, refusal: null } })
      case 'finish':
        this.#held += this.#finish(event.choice, event.reason)
        return ''
      case 'start':
      case 'tool_call_end':
      case 'usage':
      case 'error':
      case 'lost':
        return ''
      default:
        return event satisfies never
    }
  }

  tail(usage: Usage): ByteText {
    const counted = this.#wantsUsage ? chatFrame(this.#head, { choices: [], usage: usageToChat(usage) }) : ''
    return `${this.#held}${counted}data: [DONE]\n\n`
  }

  spendTail(usage: Usage, error: WireError, requestId: string): ByteText {
    return chatSpendFrames(this.#head, usage, error, requestId)
  }

  errorTail(error: WireError, requestId: string): ByteText {
    return chatErrorFrames(error, requestId)
  }

  #text(choice: number, field: string, text: string): ByteText {
    if (text === '') return ''
    const delta = `{"${field}":${JSON.stringify(text)}}`
    return `${this.#opening(choice)}${this.#beforeText}${choice},"delta":${byteTextOf(delta)},"finish_reason":null}]}\n\n`
  }

  #delta(choice: number, delta: JsonObject, beside: JsonObject = {}): ByteText {
    const chunk = chatFrame(this.#head, {
      choices: [{ index: choice, delta, ...beside, finish_reason: null }],
    })
    return this.#opening(choice) + chunk
  }

  #finish(choice: number, reason: FinishReason): ByteText {
    const opening = this.#opening(choice)
    const word = finishWord(reason, this.#choice(choice).hasRefused)
    return opening + chatFrame(this.#head, { choices: [{ index: choice, delta: {}, finish_reason: word }] })
  }

  /** The role, before the first that a choice has to say. */
  #opening(index: number): ByteText {
    const choice = this.#choice(index)
    if (choice.isOpen) return ''
    choice.isOpen = true
    const delta = { role: 'assistant', content: '', refusal: null }
    return chatFrame(this.#head, { choices: [{ index, delta, finish_reason: null }] })
  }

  #choice(index: number): ChoiceState {
    const known = this.#choices.get(index)
    if (known) return known
    const choice = { isOpen: false, hasRefused: false, thought: '', signed: [], custom: new Map() }
    this.#choices.set(index, choice)
    return choice
  }
}

/** Events -> a whole answer. */
export function encodeChatAnswer(events: readonly NeutralEvent[], options: EncoderOptions): JsonObject {
  const { alias, callId, createdSeconds, request } = options
  const { id, created, model } = headOf(alias, callId, createdSeconds)
  const messages = new Map<number, MessageState>()
  let usage: Usage | null = null
  for (const event of events) {
    if (event.kind === 'usage') usage = event.usage
    if (!('choice' in event)) continue
    let message = messages.get(event.choice)
    if (!message) messages.set(event.choice, (message = emptyMessage()))
    addTo(message, event)
  }
  const choices = [...messages.entries()]
    .toSorted(([a], [b]) => a - b)
    .map(([index, message]) => choiceOf(index, message, request.reasoning?.isShown !== false))
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices,
    ...(usage && { usage: usageToChat(usage) }),
  }
}

interface Signed {
  /** Since the last signature. */
  thought: string
  /** To go with the next call. */
  signed: ReasoningPart[]
}

interface ChoiceState extends Signed {
  isOpen: boolean
  hasRefused: boolean
  readonly custom: Map<number, boolean>
}

interface MessageState extends Signed {
  text: string
  refusal: string
  reasoning: string
  readonly annotations: JsonObject[]
  readonly tokens: JsonValue[]
  readonly calls: { slot: number; call: Call; text: string }[]
  finish: FinishReason | null
}

type Call =
  | {
      id: string
      type: 'function'
      function: { name: string; arguments: string }
      extra_content?: JsonObject
    }
  | { id: string; type: 'custom'; custom: { name: string; input: string }; extra_content?: JsonObject }

type EventOf<Kind extends NeutralEvent['kind']> = Extract<NeutralEvent, { kind: Kind }>

function emptyMessage(): MessageState {
  return {
    thought: '',
    signed: [],
    text: '',
    refusal: '',
    reasoning: '',
    annotations: [],
    tokens: [],
    calls: [],
    finish: null,
  }
}

function addTo(message: MessageState, event: NeutralEvent): void {
  switch (event.kind) {
    case 'text':
      message.text += event.text
      break
    case 'refusal':
      message.refusal += event.text
      break
    case 'reasoning':
      message.thought += event.text
      message.reasoning += event.text
      break
    case 'signature':
      signature(message, event.signature)
      break
    case 'tool_call':
      message.calls.push({ slot: event.slot, call: callOf(event, takeSigned(message)), text: '' })
      break
    case 'arguments': {
      const call = message.calls.find(({ slot }) => slot === event.slot)
      if (call) call.text += event.text
      break
    }
    case 'citation':
      message.annotations.push(annotationOf(event.citation))
      break
    case 'logprobs':
      message.tokens.push(...event.tokens)
      break
    case 'finish':
      message.finish = event.reason
      break
    case 'start':
    case 'tool_call_end':
    case 'usage':
    case 'error':
    case 'lost':
      break
    default:
      event satisfies never
  }
}

function choiceOf(index: number, message: MessageState, showsThoughts: boolean): JsonObject {
  const { text, refusal, reasoning, annotations, tokens, calls, finish } = message
  return {
    index,
    message: {
      role: 'assistant',
      // Null where there is nothing but calls or a refusal; an answer that is empty is an empty text.
      content: text === '' && (calls.length > 0 || refusal !== '') ? null : text,
      refusal: refusal === '' ? null : refusal,
      ...(showsThoughts && reasoning !== '' && { reasoning_content: reasoning }),
      ...(annotations.length > 0 && { annotations }),
      ...(calls.length > 0 && { tool_calls: calls.map(({ call, text: given }) => withText(call, given)) }),
    },
    logprobs: tokens.length > 0 ? { content: tokens, refusal: null } : null,
    finish_reason: finish === null ? null : finishWord(finish, refusal !== ''),
  }
}

function withText(call: Call, text: string): Call {
  return call.type === 'custom'
    ? { ...call, custom: { ...call.custom, input: text } }
    : { ...call, function: { ...call.function, arguments: text } }
}

function callOf({ id, name, isCustom }: EventOf<'tool_call'>, signed: readonly ReasoningPart[]): Call {
  const extra = extraContentOf(signed)
  const call: Call = isCustom
    ? { id, type: 'custom', custom: { name, input: '' } }
    : { id, type: 'function', function: { name, arguments: '' } }
  return extra ? { ...call, extra_content: extra } : call
}

function signature(state: Signed, signature: EventOf<'signature'>['signature']): void {
  state.signed.push({ kind: 'reasoning', text: state.thought, signature })
  state.thought = ''
}

function takeSigned(state: Signed): readonly ReasoningPart[] {
  const { signed } = state
  state.signed = []
  return signed
}

function annotationOf({ url, title, start, end }: EventOf<'citation'>['citation']): JsonObject {
  const cited = { start_index: start ?? 0, end_index: end ?? 0, title: title ?? '', url }
  return { type: 'url_citation', url_citation: cited }
}

/** @param hasRefused the model said why; if not, an empty answer that ended well would look like one */
function finishWord(reason: FinishReason, hasRefused: boolean): string {
  return reason === 'refusal' && !hasRefused ? 'content_filter' : finishWords[reason]
}

const finishWords: Readonly<Record<FinishReason, string>> = {
  end: 'stop',
  stop_sequence: 'stop',
  max_output: 'length',
  context_full: 'length',
  tool_calls: 'tool_calls',
  refusal: 'stop',
  filtered: 'content_filter',
  pause: 'stop',
  // Never written: such an answer has failed (converted-stream.ts).
  bad_tool_call: 'content_filter',
  other: 'stop',
}

function headOf(alias: string, callId: string, createdSeconds: number): ChatHead {
  return { id: `chatcmpl-${callId}`, created: createdSeconds, model: alias }
}
