import { Mistral } from '@mistralai/mistralai'
import type {
  AssistantMessage,
  ChatCompletionRequest,
  ContentChunk,
  ToolCall,
} from '@mistralai/mistralai/models/components'
import { MistralError } from '@mistralai/mistralai/models/errors'
import { ZodError } from 'zod'
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

export const mistral: Client = {
  name: '@mistralai/mistralai',
  wire: 'chat',
  cannot: {
    thoughts: "it reads thoughts as parts of the content, which only Mistral's models write",
    'call seals': 'it drops the fields of calls that it does not know',
    'streamed calls': 'it requires the name of the tool in each piece of a call, as only Mistral writes it',
    code: 'its error for an event that is not a chunk shows nothing of the event',
  },
  count: null,
  failure,
  converse,
}

function mistralAt({ gateway, key, retriesMax }: Place): Mistral {
  return new Mistral({
    apiKey: key,
    serverURL: gateway,
    ...(retriesMax === 0 ? { retryConfig: { strategy: 'none' as const } } : {}),
  })
}

function failure(thrown: unknown): ClientFailure | null {
  // The client validates each event of a stream as a chunk, and reports the gateway's error event as an invalid chunk.
  if (thrown instanceof ZodError) return { status: 0, text: textOfError(thrown), retryAfter: null }
  if (!(thrown instanceof MistralError)) return null
  return {
    status: thrown.statusCode,
    text: textOfError(thrown),
    retryAfter: thrown.headers.get('retry-after'),
  }
}

async function converse(at: Place, order: Order): Promise<Heard> {
  const client = mistralAt(at)
  const { schema, thinks, tools } = order
  const params: Omit<ChatCompletionRequest, 'messages' | 'stream'> = {
    model: at.model,
    ...(tools && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        function: { name, description, parameters: { ...parameters } },
      })),
    }),
    ...(schema && {
      responseFormat: {
        type: 'json_schema' as const,
        jsonSchema: { name: 'answer', schemaDefinition: { ...schema }, strict: true },
      },
    }),
    ...(thinks && { reasoningEffort: 'high' as const }),
    ...(order.outputTokensMax !== undefined && { maxTokens: order.outputTokensMax }),
  }
  const messages: ChatCompletionRequest['messages'] = []
  const texts: string[] = []
  let thoughts = ''
  for (const [index, text] of order.turns.entries()) {
    messages.push({ role: 'user', content: index === 0 ? contentOf(text, order.image) : text })
    for (let round = 0; round < roundsMax; round++) {
      // oxlint-disable-next-line no-await-in-loop -- each call answers the one before
      const message = await answered(client, { ...params, messages }, order.isStream)
      messages.push({ ...message, role: 'assistant' })
      thoughts += thoughtsOf(message)
      const calls = message.toolCalls ?? []
      if (calls.length === 0) {
        texts.push(textOf(message))
        break
      }
      for (const { function: called, id } of calls) {
        const args: unknown =
          typeof called.arguments === 'string' ? JSON.parse(called.arguments) : called.arguments
        messages.push({
          role: 'tool',
          name: called.name,
          content: toolNamed(tools, called.name).run(args),
          ...(id !== undefined && { toolCallId: id }),
        })
      }
    }
  }
  return { texts, thoughts }
}

async function answered(
  client: Mistral,
  request: ChatCompletionRequest,
  isStream: boolean,
): Promise<AssistantMessage> {
  if (isStream) return collected(client, request)
  const { choices } = await client.chat.complete(request)
  const message = choices[0]?.message
  if (!message) throw new Error('a response without a message')
  return message
}

/**
 * Joins the pieces of a stream: texts, parts with thoughts, and tool calls. Mistral sends each tool call in one piece.
 */
async function collected(client: Mistral, request: ChatCompletionRequest): Promise<AssistantMessage> {
  const parts: ContentChunk[] = []
  const toolCalls: ToolCall[] = []
  let isFinished = false
  for await (const { data } of await client.chat.stream(request)) {
    const [choice] = data.choices
    if (!choice) continue
    isFinished ||= choice.finishReason !== null
    const { content } = choice.delta
    for (const part of typeof content === 'string'
      ? [{ type: 'text' as const, text: content }]
      : (content ?? []))
      append(parts, part)
    toolCalls.push(...(choice.delta.toolCalls ?? []))
  }
  if (!isFinished) throw new Error('the stream ended without a finish reason')
  return {
    content: parts.some(({ type }) => type === 'thinking') ? parts : textOf({ content: parts }),
    ...(toolCalls.length > 0 && { toolCalls }),
  }
}

function append(parts: ContentChunk[], part: ContentChunk): void {
  const last = parts.at(-1)
  if (part.type === 'text' && last?.type === 'text') last.text += part.text
  else if (part.type === 'thinking' && last?.type === 'thinking') last.thinking.push(...part.thinking)
  else if (part.type !== 'text' || part.text !== '') parts.push(part)
}

function textOf({ content }: AssistantMessage): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function thoughtsOf({ content }: AssistantMessage): string {
  const parts = Array.isArray(content) ? content : []
  const thoughts = parts.flatMap((part) => (part.type === 'thinking' ? part.thinking : []))
  return thoughts.map((thought) => (thought.type === 'text' ? thought.text : '')).join('')
}

function contentOf(text: string, image: string | undefined) {
  if (image === undefined) return text
  return [
    { type: 'text' as const, text },
    { type: 'image_url' as const, imageUrl: `data:image/png;base64,${image}` },
  ]
}
