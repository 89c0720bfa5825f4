import type { JsonObject } from '#wire/text/json-values.ts'
import type { Usage } from '#money/usage-counts.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import type { UsageWish } from '#wire/wire-request.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { AnswerEncoder, EncoderOptions } from '#convert/codec-interface.ts'
import type { FinishReason, NeutralEvent, ReasoningPart } from '#convert/neutral-format.ts'
import { chatErrorFrames } from '#wire/chat/errors.ts'
import { chatFrame, chatSpendFrames, choiceWithoutOutput, type ChatHead } from '#wire/chat/write-chunks.ts'
import { extraContentOf } from './reasoning-signatures.ts'
import { usageToChat } from '#wire/chat/usage.ts'

/**
 * Converts events to the chunks of a chat-completions stream. Strict clients throw unless the role, the type and name
 * of each tool call, and the finish reason are each sent exactly once (docs/reference/wires.md "Streams on the chat
 * wire"). Finish reasons, the usage and `[DONE]` are not written until `tail` is called.
 *
 * Reasoning is sent as `reasoning_content`, which most servers and clients of this wire use, unless the client disabled
 * reasoning. The chat wire has no option to request reasoning, so all reasoning that a provider shows is sent.
 */
export class ChatEncoder implements AnswerEncoder {
  readonly #head: ChatHead
  readonly #wantsUsage: UsageWish
  readonly #showsThoughts: boolean
  readonly #usesFunctions: boolean
  /**
   * The start of a chunk's JSON, up to the index of its choice, prepared once because nearly every chunk begins like
   * this.
   */
  readonly #beforeText: ByteText
  readonly #choices = new Map<number, ChoiceState>()
  #held: ByteText = ''

  constructor({ alias, callId, createdSeconds, request }: EncoderOptions) {
    this.#head = headOf(alias, callId, createdSeconds)
    this.#wantsUsage = request.wantsUsage
    this.#showsThoughts = request.reasoning?.isShown !== false
    this.#usesFunctions = request.usesFunctions === true
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
      case 'signature':
        sign(this.#choice(event.choice), event.signature)
        return ''

      case 'tool_call': {
        if (this.#usesFunctions && this.#choice(event.choice).functionSlot === null) {
          this.#choice(event.choice).functionSlot = event.slot
          return this.#delta(event.choice, { function_call: { name: event.name, arguments: '' } })
        }
        const call = callOf(event, takeSigned(this.#choice(event.choice)))
        this.#choice(event.choice).custom.set(event.slot, event.isCustom)
        return this.#delta(event.choice, { tool_calls: [{ index: event.slot, ...call }] })
      }
      case 'arguments': {
        const { choice, slot, text } = event
        if (this.#choice(choice).functionSlot === slot)
          return this.#delta(choice, { function_call: { arguments: text } })
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
    const choices = this.#wantsUsage === 'withChoice' ? [choiceWithoutOutput] : []
    const counted = this.#wantsUsage ? chatFrame(this.#head, { choices, usage: usageToChat(usage) }) : ''
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
    const state = this.#choice(choice)
    const word = finishWord(reason, state.hasRefused, state.functionSlot !== null)
    return opening + chatFrame(this.#head, { choices: [{ index: choice, delta: {}, finish_reason: word }] })
  }

  /** The role must be written together with the first output of a choice. */
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
    const choice: ChoiceState = {
      isOpen: false,
      hasRefused: false,
      thought: '',
      signed: [],
      custom: new Map(),
      functionSlot: null,
    }
    this.#choices.set(index, choice)
    return choice
  }
}

type ChoiceEvent = Extract<NeutralEvent, { readonly choice: number }>

export function encodeChatAnswer(events: readonly NeutralEvent[], options: EncoderOptions): JsonObject {
  const { alias, callId, createdSeconds, request } = options
  const { id, created, model } = headOf(alias, callId, createdSeconds)
  const choices = Map.groupBy(
    events.filter((event): event is ChoiceEvent => 'choice' in event),
    ({ choice }) => choice,
  )
  const usage = events.findLast((event) => event.kind === 'usage')?.usage
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [...choices]
      .toSorted(([a], [b]) => a - b)
      .map(([index, said]) => choiceOf(index, said, request)),
    ...(usage && { usage: usageToChat(usage) }),
  }
}

interface Signed {
  thought: string
  /** Signed reasoning that is sent with the next tool call. */
  signed: ReasoningPart[]
}

interface ChoiceState extends Signed {
  isOpen: boolean
  hasRefused: boolean
  readonly custom: Map<number, boolean>
  /** For a client of the old functions API, the first call is written as `function_call`. */
  functionSlot: number | null
}

type EventOf<Kind extends NeutralEvent['kind']> = Extract<NeutralEvent, { kind: Kind }>

function choiceOf(
  index: number,
  events: readonly ChoiceEvent[],
  request: EncoderOptions['request'],
): JsonObject {
  const showsThoughts = request.reasoning?.isShown !== false
  const said = (kind: 'text' | 'refusal' | 'reasoning'): string =>
    events.map((event) => (event.kind === kind ? event.text : '')).join('')
  const text = said('text')
  const refusal = said('refusal')
  const reasoning = showsThoughts ? said('reasoning') : ''
  const all = callsOf(events)
  // A client of the old functions API supports only one call, and expects another finish reason for a call.
  const asFunction = request.usesFunctions === true ? (all[0]?.function ?? null) : null
  const calls = asFunction === null ? all : all.slice(1)
  const annotations = events.flatMap((event) =>
    event.kind === 'citation' ? annotationOf(event.citation) : [],
  )
  const tokens = events.flatMap((event) => (event.kind === 'logprobs' ? event.tokens : []))
  const finish = events.findLast((event) => event.kind === 'finish')
  return {
    index,
    message: {
      role: 'assistant',
      // The content is null if the answer has only tool calls or a refusal.
      content: text === '' && (all.length > 0 || refusal !== '') ? null : text,
      refusal: refusal === '' ? null : refusal,
      ...(reasoning !== '' && { reasoning_content: reasoning }),
      ...(annotations.length > 0 && { annotations }),
      ...(asFunction !== null && { function_call: asFunction }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
    logprobs: tokens.length > 0 ? { content: tokens, refusal: null } : null,
    finish_reason: finish ? finishWord(finish.reason, refusal !== '', asFunction !== null) : null,
  }
}

function callsOf(events: readonly ChoiceEvent[]): readonly JsonObject[] {
  const texts = new Map<number, string>()
  for (const event of events)
    if (event.kind === 'arguments') texts.set(event.slot, (texts.get(event.slot) ?? '') + event.text)
  const signed: Signed = { thought: '', signed: [] }
  return events.flatMap((event): JsonObject | readonly JsonObject[] => {
    if (event.kind === 'reasoning') signed.thought += event.text
    if (event.kind === 'signature') sign(signed, event.signature)
    return event.kind === 'tool_call' ? callOf(event, takeSigned(signed), texts.get(event.slot) ?? '') : []
  })
}

function callOf(
  { id, name, isCustom }: EventOf<'tool_call'>,
  signed: readonly ReasoningPart[],
  text = '',
): JsonObject {
  const extra = extraContentOf(signed)
  const call = isCustom
    ? { type: 'custom', custom: { name, input: text } }
    : { type: 'function', function: { name, arguments: text } }
  return { id, ...call, ...(extra && { extra_content: extra }) }
}

function sign(state: Signed, signature: EventOf<'signature'>['signature']): void {
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

/**
 * @param hasRefused whether the model explained a refusal. If a refusal has no explanation, the reason is
 *   `content_filter`, because `stop` would look like a successful empty answer.
 */
function finishWord(reason: FinishReason, hasRefused: boolean, hasFunctionCall: boolean): string {
  if (reason === 'tool_calls' && hasFunctionCall) return 'function_call'
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
  // No answer ends with this finish reason, because an unreadable tool call fails the answer (converted-stream.ts).
  bad_tool_call: 'content_filter',
  other: 'stop',
}

function headOf(alias: string, callId: string, createdSeconds: number): ChatHead {
  return { id: `chatcmpl-${callId}`, created: createdSeconds, model: alias }
}
