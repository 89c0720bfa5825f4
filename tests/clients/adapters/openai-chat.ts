import OpenAI from 'openai'
import type {
  ChatCompletionChunk,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessage,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions'
import {
  roundsMax,
  textOfError,
  toolNamed,
  type Client,
  type ClientFailure,
  type Heard,
  type Order,
  type Place,
} from '../client-interface.ts'

export function openaiAt({ gateway, key, retriesMax }: Place): OpenAI {
  return new OpenAI({
    apiKey: key,
    baseURL: `${gateway}/v1`,
    ...(retriesMax === null ? {} : { maxRetries: retriesMax }),
  })
}

export function openaiFailure(thrown: unknown): ClientFailure | null {
  if (!(thrown instanceof OpenAI.APIError)) return null
  return {
    status: Number(thrown.status ?? 0),
    text: textOfError(thrown),
    retryAfter: thrown.headers?.get('retry-after') ?? null,
  }
}

type Complete = (
  openai: OpenAI,
  params: ChatCompletionCreateParamsNonStreaming,
  isStream: boolean,
) => Promise<ChatCompletionMessage>

/** Most programs assemble the chunks without the client's helper. */
export const openaiChat: Client = chatClient('openai chat', async (openai, params, isStream) => {
  if (isStream) return collected(await openai.chat.completions.create({ ...params, stream: true }))
  const { choices } = await openai.chat.completions.create(params)
  return messageOf(choices)
})

/** The helper collects a stream, and checks it more strictly than most programs. */
export const openaiChatHelper: Client = chatClient(
  'openai chat helper',
  async (openai, params) => {
    const stream = openai.chat.completions.stream({ ...params, stream: true })
    return messageOf((await stream.finalChatCompletion()).choices)
  },
  { thoughts: 'of a field that it does not know it keeps the last piece' },
)

function chatClient(name: string, complete: Complete, cannot: Client['cannot'] = {}): Client {
  return {
    name,
    wire: 'chat',
    cannot,
    count: null,
    failure: openaiFailure,
    converse: (at, order) => converse(at, order, complete),
  }
}

async function converse(at: Place, order: Order, complete: Complete): Promise<Heard> {
  const openai = openaiAt(at)
  const { tools, schema } = order
  const params = {
    model: at.model,
    ...(tools
      ? {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            function: { name, description, parameters: { ...parameters } },
          })),
        }
      : {}),
    ...(schema
      ? {
          response_format: {
            type: 'json_schema' as const,
            json_schema: { name: 'answer', schema: { ...schema }, strict: true },
          },
        }
      : {}),
    ...(order.thinks ? { reasoning_effort: 'low' as const } : {}),
    ...(order.outputTokensMax === undefined ? {} : { max_completion_tokens: order.outputTokensMax }),
  }
  const messages: ChatCompletionMessageParam[] = []
  const texts: string[] = []
  let thoughts = ''
  for (const [index, text] of order.turns.entries()) {
    messages.push({ role: 'user', content: index === 0 ? contentOf(text, order.image) : text })
    for (let round = 0; round < roundsMax; round++) {
      // oxlint-disable-next-line no-await-in-loop -- each call answers the one before
      const message = await complete(openai, { ...params, messages }, order.isStream)
      messages.push(message)
      // DeepSeek's name for the field that contains the thoughts. The types of OpenAI's client do not contain the field
      // `reasoning_content`.
      if ('reasoning_content' in message) thoughts += String(message.reasoning_content)
      const calls = message.tool_calls ?? []
      if (calls.length === 0) {
        texts.push(message.content ?? '')
        break
      }
      for (const call of calls) {
        if (call.type !== 'function') throw new Error('the model calls a tool that is none')
        const result = toolNamed(tools, call.function.name).run(JSON.parse(call.function.arguments))
        messages.push({ role: 'tool', tool_call_id: call.id, content: result })
      }
    }
  }
  return { texts, thoughts }
}

function contentOf(text: string, image: string | undefined) {
  if (image === undefined) return text
  return [
    { type: 'text' as const, text },
    { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${image}` } },
  ]
}

function messageOf(choices: readonly { message: ChatCompletionMessage }[]): ChatCompletionMessage {
  const [choice] = choices
  if (!choice) throw new Error('an answer without a choice')
  return choice.message
}

/**
 * Without a finish reason, a stream is not a complete answer. OpenAI's client does not check whether a stream has a
 * finish reason.
 */
async function collected(stream: AsyncIterable<ChatCompletionChunk>): Promise<ChatCompletionMessage> {
  let content = ''
  let reasoning = ''
  let isFinished = false
  const calls: {
    id: string
    type: 'function'
    function: { name: string; arguments: string }
    extra_content?: unknown
  }[] = []
  for await (const { choices } of stream) {
    const [choice] = choices
    if (!choice) continue
    const { delta, finish_reason: finish } = choice
    isFinished ||= finish !== null
    content += delta.content ?? ''
    if ('reasoning_content' in delta && typeof delta.reasoning_content === 'string')
      reasoning += delta.reasoning_content
    for (const piece of delta.tool_calls ?? []) {
      const call = (calls[piece.index] ??= {
        id: '',
        type: 'function',
        function: { name: '', arguments: '' },
      })
      call.id ||= piece.id ?? ''
      call.function.name += piece.function?.name ?? ''
      call.function.arguments += piece.function?.arguments ?? ''
      if ('extra_content' in piece) call.extra_content = piece.extra_content
    }
  }
  if (!isFinished) throw new Error('the stream ended without a finish')
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    refusal: null,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
  }
}
