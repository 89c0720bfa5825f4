import Anthropic, { APIError } from '@anthropic-ai/sdk'
import type {
  ContentBlockParam,
  Message,
  MessageCountTokensParams,
  MessageCreateParamsNonStreaming,
  MessageParam,
} from '@anthropic-ai/sdk/resources/messages'
import Anthropic0, { APIError as APIError0 } from 'anthropic-sdk-0'
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

/** The part of the SDK's interface that is the same in each tested version. */
interface Sdk {
  readonly messages: {
    create(params: MessageCreateParamsNonStreaming): PromiseLike<Message>
    stream(params: MessageCreateParamsNonStreaming): { finalMessage(): Promise<Message> }
    countTokens(params: MessageCountTokensParams): PromiseLike<{ input_tokens: number }>
  }
}

/** Sends `Authorization: Bearer` and `anthropic-version: 2026-10-21`. */
export const anthropic1: Client = anthropicClient('@anthropic-ai/sdk 1', (at) => new Anthropic(optionsOf(at)))

/** Sends `x-api-key` and `anthropic-version: 2023-06-01`. */
export const anthropic0: Client = anthropicClient(
  '@anthropic-ai/sdk 0',
  (at) => new Anthropic0(optionsOf(at)),
)

function optionsOf({ gateway, key, retriesMax }: Place) {
  return { apiKey: key, baseURL: gateway, ...(retriesMax === null ? {} : { maxRetries: retriesMax }) }
}

function anthropicClient(name: string, open: (at: Place) => Sdk): Client {
  return {
    name,
    wire: 'messages',
    cannot: {},
    async count(at, text) {
      const messages: MessageParam[] = [{ role: 'user', content: text }]
      return (await open(at).messages.countTokens({ model: at.model, messages })).input_tokens
    },
    failure,
    converse: (at, order) => converse(open(at), at.model, order),
  }
}

function failure(thrown: unknown): ClientFailure | null {
  if (!(thrown instanceof APIError || thrown instanceof APIError0)) return null
  return {
    status: Number(thrown.status ?? 0),
    text: textOfError(thrown),
    retryAfter: thrown.headers?.get('retry-after') ?? null,
  }
}

async function converse(sdk: Sdk, model: string, order: Order): Promise<Heard> {
  const { tools, schema } = order
  const params = {
    model,
    max_tokens: order.outputTokensMax ?? 4096,
    ...(tools
      ? {
          tools: tools.map(({ name, description, parameters }) => ({
            name,
            description,
            input_schema: { ...parameters },
          })),
        }
      : {}),
    ...(schema ? { output_config: { format: { type: 'json_schema' as const, schema: { ...schema } } } } : {}),
    ...(order.thinks
      ? { thinking: { type: 'enabled' as const, budget_tokens: 1024, display: 'summarized' as const } }
      : {}),
  }
  const messages: MessageParam[] = []
  const texts: string[] = []
  let thoughts = ''
  for (const [index, text] of order.turns.entries()) {
    messages.push({ role: 'user', content: index === 0 ? contentOf(text, order.image) : text })
    for (let round = 0; round < roundsMax; round++) {
      const next = { ...params, messages: [...messages] }
      // oxlint-disable-next-line no-await-in-loop -- each call answers the one before
      const { content } = await (order.isStream
        ? sdk.messages.stream(next).finalMessage()
        : sdk.messages.create(next))
      messages.push({ role: 'assistant', content })
      thoughts += content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join('')
      const calls = content.filter((block) => block.type === 'tool_use')
      if (calls.length === 0) {
        texts.push(content.map((block) => (block.type === 'text' ? block.text : '')).join(''))
        break
      }
      messages.push({
        role: 'user',
        content: calls.map(({ id, input, name }) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: toolNamed(tools, name).run(input),
        })),
      })
    }
  }
  return { texts, thoughts }
}

function contentOf(text: string, image: string | undefined): string | ContentBlockParam[] {
  if (image === undefined) return text
  return [
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } },
    { type: 'text', text },
  ]
}
