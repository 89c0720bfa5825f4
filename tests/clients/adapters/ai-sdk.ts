import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  APICallError,
  generateText,
  isStepCount,
  jsonSchema,
  Output,
  RetryError,
  streamText,
  tool,
  type LanguageModel,
  type ModelMessage,
  type ToolSet,
} from 'ai'
import {
  roundsMax,
  textOfError,
  type Client,
  type ClientFailure,
  type Heard,
  type Order,
  type Place,
  type WireName,
} from '../client-interface.ts'

// The AI SDK prints a warning if it does not know a model's name. The AI SDK knows none of the model names in these
// tests.
globalThis.AI_SDK_LOG_WARNINGS = false

type Options = NonNullable<Parameters<typeof generateText>[0]['providerOptions']>

interface Provider {
  readonly name: string
  readonly wire: WireName
  readonly open: (at: Place) => LanguageModel
  /** Options of the client that make a model think and show its thoughts. */
  readonly thinks: Options
  readonly always?: Options
  readonly cannot?: Client['cannot']
}

const noSeals = 'chat has no place for them but on the calls of tools, and this client drops it there'

export const aiSdkOpenaiChat = aiSdkClient({
  name: '@ai-sdk/openai chat',
  wire: 'chat',
  open: ({ gateway, key, model }) => createOpenAI({ baseURL: `${gateway}/v1`, apiKey: key }).chat(model),
  thinks: { openai: { reasoningEffort: 'low', forceReasoning: true } },
  cannot: { thoughts: 'it reads nothing that OpenAI does not document for chat', 'call seals': noSeals },
})

export const aiSdkOpenaiResponses = aiSdkClient({
  name: '@ai-sdk/openai responses',
  wire: 'responses',
  open: ({ gateway, key, model }) => createOpenAI({ baseURL: `${gateway}/v1`, apiKey: key }).responses(model),
  always: { openai: { store: false } },
  thinks: {
    openai: { store: false, reasoningEffort: 'low', reasoningSummary: 'auto', forceReasoning: true },
  },
})

export const aiSdkAnthropic = aiSdkClient({
  name: '@ai-sdk/anthropic',
  wire: 'messages',
  open: ({ gateway, key, model }) => createAnthropic({ baseURL: `${gateway}/v1`, apiKey: key })(model),
  thinks: { anthropic: { thinking: { type: 'adaptive', display: 'summarized' } } },
})

export const aiSdkGoogle = aiSdkClient({
  name: '@ai-sdk/google',
  wire: 'generate',
  open: ({ gateway, key, model }) => createGoogle({ baseURL: `${gateway}/v1beta`, apiKey: key })(model),
  thinks: { google: { thinkingConfig: { includeThoughts: true } } },
})

export const aiSdkCompatible = aiSdkClient({
  name: '@ai-sdk/openai-compatible',
  wire: 'chat',
  open: ({ gateway, key, model }) =>
    createOpenAICompatible({
      name: 'gateway',
      baseURL: `${gateway}/v1`,
      apiKey: key,
      supportsStructuredOutputs: true,
      includeUsage: true,
    })(model),
  thinks: { gateway: { reasoningEffort: 'low' } },
})

function aiSdkClient(provider: Provider): Client {
  return {
    name: provider.name,
    wire: provider.wire,
    cannot: provider.cannot ?? {},
    count: null,
    failure,
    converse: (at, order) => converse(provider, at, order),
  }
}

function failure(thrown: unknown): ClientFailure | null {
  // The last error that the client received, after all its retries.
  const error = RetryError.isInstance(thrown) ? thrown.lastError : thrown
  if (APICallError.isInstance(error)) {
    return {
      status: error.statusCode ?? 0,
      text: textOfError(error),
      retryAfter: error.responseHeaders?.['retry-after'] ?? null,
    }
  }
  // If a stream fails after the status 200, the client throws the provider's error instead of one of its own error
  // classes.
  return { status: 0, text: textOfError(error), retryAfter: null }
}

async function converse(provider: Provider, at: Place, order: Order): Promise<Heard> {
  const settings = {
    model: provider.open(at),
    ...(at.retriesMax === null ? {} : { maxRetries: at.retriesMax }),
    ...(order.tools ? { tools: toolsOf(order), stopWhen: isStepCount(roundsMax) } : {}),
    ...(order.schema ? { output: Output.object({ schema: jsonSchema({ ...order.schema }) }) } : {}),
    ...(order.outputTokensMax === undefined ? {} : { maxOutputTokens: order.outputTokensMax }),
    providerOptions: (order.thinks ? provider.thinks : provider.always) ?? {},
  }
  const messages: ModelMessage[] = []
  const texts: string[] = []
  let thoughts = ''
  for (const [index, text] of order.turns.entries()) {
    messages.push({ role: 'user', content: index === 0 ? contentOf(text, order.image) : text })
    // oxlint-disable-next-line no-await-in-loop -- each call answers the one before
    const said = await (order.isStream ? streamed : whole)(settings, messages)
    messages.push(...said.messages)
    texts.push(said.text)
    thoughts += said.thoughts
  }
  return { texts, thoughts }
}

type Settings = { model: LanguageModel; providerOptions: Options; tools?: ToolSet }

interface Said {
  readonly text: string
  readonly thoughts: string
  readonly messages: ModelMessage[]
}

async function whole(settings: Settings, messages: ModelMessage[]): Promise<Said> {
  const { responseMessages, steps, text } = await generateText({ ...settings, messages })
  const thoughts = steps.map(({ reasoningText }) => reasoningText ?? '').join('')
  return { text, thoughts, messages: responseMessages }
}

async function streamed(settings: Settings, messages: ModelMessage[]): Promise<Said> {
  // By default, `onError` prints each error. The stream and the promises below also report each error.
  const result = streamText({ ...settings, messages, onError: () => {} })
  for await (const part of result.fullStream) if (part.type === 'error') throw part.error
  const steps = await result.steps
  const thoughts = steps.map(({ reasoningText }) => reasoningText ?? '').join('')
  return { text: await result.text, thoughts, messages: await result.responseMessages }
}

function toolsOf({ tools }: Order): ToolSet {
  return Object.fromEntries(
    (tools ?? []).map(({ description, name, parameters, run }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema<object>({ ...parameters }),
        execute: (input: object) => run(input),
      }),
    ]),
  )
}

function contentOf(text: string, image: string | undefined) {
  if (image === undefined) return text
  return [
    { type: 'text' as const, text },
    { type: 'file' as const, mediaType: 'image/png', data: image },
  ]
}
