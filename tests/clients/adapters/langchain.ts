import { ChatAnthropic } from '@langchain/anthropic'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { HumanMessage, ToolMessage, type AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
import { ChatOpenAI } from '@langchain/openai'
import {
  roundsMax,
  textOfError,
  toolNamed,
  type Client,
  type ClientFailure,
  type Heard,
  type Order,
  type Place,
  type WireName,
} from '../client-interface.ts'

const noThoughts = 'it reads nothing that OpenAI does not document for chat'

export const langchainOpenai = langchainClient({
  name: '@langchain/openai chat',
  wire: 'chat',
  cannot: { thoughts: noThoughts, 'call seals': noThoughts },
  open: (at, { outputTokensMax, thinks }) =>
    new ChatOpenAI({
      ...optionsOf(at),
      configuration: { baseURL: `${at.gateway}/v1` },
      ...(outputTokensMax === undefined ? {} : { maxTokens: outputTokensMax }),
      ...(thinks ? { reasoning: { effort: 'low' } } : {}),
      useResponsesApi: false,
    }),
})

export const langchainResponses = langchainClient({
  name: '@langchain/openai responses',
  wire: 'responses',
  open: (at, { outputTokensMax, thinks }) =>
    new ChatOpenAI({
      ...optionsOf(at),
      configuration: { baseURL: `${at.gateway}/v1` },
      ...(outputTokensMax === undefined ? {} : { maxTokens: outputTokensMax }),
      // The client sends its own options for thinking to models whose names it knows.
      ...(thinks
        ? {
            modelKwargs: {
              reasoning: { effort: 'low', summary: 'auto' },
              include: ['reasoning.encrypted_content'],
            },
          }
        : {}),
      useResponsesApi: true,
      zdrEnabled: true,
    }),
})

export const langchainAnthropic = langchainClient({
  name: '@langchain/anthropic',
  wire: 'messages',
  open: (at, { outputTokensMax, thinks }) =>
    new ChatAnthropic({
      ...optionsOf(at),
      anthropicApiUrl: at.gateway,
      maxTokens: outputTokensMax ?? 4096,
      ...(thinks ? { thinking: { type: 'enabled', budget_tokens: 1024, display: 'summarized' } } : {}),
    }),
})

export const langchainGoogle = langchainClient({
  name: '@langchain/google-genai',
  wire: 'generate',
  cannot: {
    image: "it sends images to models that it knows by name, which are Google's",
    seals: 'it drops the seal of a text',
    'retry-after': 'its error has a status and a message',
  },
  open: (at, { outputTokensMax, thinks }) =>
    new ChatGoogleGenerativeAI({
      ...optionsOf(at),
      baseUrl: at.gateway,
      ...(outputTokensMax === undefined ? {} : { maxOutputTokens: outputTokensMax }),
      ...(thinks ? { thinkingConfig: { includeThoughts: true } } : {}),
    }),
})

interface Kind {
  readonly name: string
  readonly wire: WireName
  readonly open: (at: Place, order: Order) => BaseChatModel
  readonly cannot?: Client['cannot']
}

function optionsOf({ key, model, retriesMax }: Place) {
  return { model, apiKey: key, ...(retriesMax === null ? {} : { maxRetries: retriesMax }) }
}

function langchainClient({ cannot = {}, name, open, wire }: Kind): Client {
  return {
    name,
    wire,
    cannot,
    count: null,
    failure,
    converse: (at, order) => converse(open(at, order), order),
  }
}

function failure(thrown: unknown): ClientFailure | null {
  if (!(thrown instanceof Error)) return null
  const headers: unknown = Reflect.get(thrown, 'headers')
  return {
    status: Number(Reflect.get(thrown, 'status') ?? 0),
    text: textOfError(thrown),
    retryAfter: headers instanceof Headers ? headers.get('retry-after') : null,
  }
}

async function converse(model: BaseChatModel, order: Order): Promise<Heard> {
  const { schema, tools, turns } = order
  const messages: BaseMessage[] = []
  const texts: string[] = []
  let thoughts = ''
  for (const [index, text] of turns.entries()) {
    messages.push(new HumanMessage({ content: index === 0 ? contentOf(text, order.image) : text }))
    if (schema) {
      const structured = model.withStructuredOutput({ title: 'answer', ...schema }, { method: 'jsonSchema' })
      // oxlint-disable-next-line no-await-in-loop -- each call answers the one before
      texts.push(JSON.stringify(await structured.invoke(messages)))
      continue
    }
    for (let round = 0; round < roundsMax; round++) {
      // oxlint-disable-next-line no-await-in-loop -- each call answers the one before
      const message = await answered(model, messages, order)
      messages.push(message)
      thoughts += thoughtsOf(message)
      const calls = message.tool_calls ?? []
      if (calls.length === 0) {
        texts.push(message.text)
        break
      }
      for (const { args, id = '', name } of calls) {
        messages.push(new ToolMessage({ tool_call_id: id, name, content: toolNamed(tools, name).run(args) }))
      }
    }
  }
  return { texts, thoughts }
}

async function answered(model: BaseChatModel, messages: BaseMessage[], { isStream, tools }: Order) {
  const asked = tools
    ? model.bindTools?.(
        tools.map(({ description, name, parameters }) => ({
          type: 'function',
          function: { name, description, parameters },
        })),
      )
    : model
  if (!asked) throw new Error('a model that takes no tools')
  if (!isStream) return asked.invoke(messages)
  let sum: AIMessageChunk | null = null
  for await (const chunk of await asked.stream(messages)) sum = sum ? sum.concat(chunk) : chunk
  if (!sum) throw new Error('a stream without a chunk')
  return sum
}

/** Google's non-streaming responses do not name their provider, so their thoughts have Google's format. */
function thoughtsOf({ content, contentBlocks }: AIMessageChunk): string {
  const blocks = contentBlocks.map((block) => (block.type === 'reasoning' ? block.reasoning : ''))
  if (blocks.some((text) => text !== '') || !Array.isArray(content)) return blocks.join('')
  return content.map((part) => (part.type === 'thinking' ? String(part.thinking) : '')).join('')
}

function contentOf(text: string, image: string | undefined) {
  if (image === undefined) return text
  return [
    { type: 'text' as const, text },
    { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${image}` } },
  ]
}
