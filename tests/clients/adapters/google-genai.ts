import {
  ApiError,
  GoogleGenAI,
  type Content,
  type GenerateContentConfig,
  type GenerateContentParameters,
  type GenerateContentResponse,
  type Part,
} from '@google/genai'
import { ApiError as ApiError2, GoogleGenAI as GoogleGenAI2 } from 'google-genai-2'
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
  readonly models: {
    generateContent(params: GenerateContentParameters): Promise<Answer>
    generateContentStream(params: GenerateContentParameters): Promise<AsyncIterable<Answer>>
    countTokens(params: { model: string; contents: string }): Promise<{ totalTokens?: number }>
  }
}

type Answer = Pick<GenerateContentResponse, 'candidates'>

/** Sends requests to `/v1/models/...`. */
export const genai3: Client = genaiClient('@google/genai 3', (at) => new GoogleGenAI(optionsOf(at)))

/** Sends requests to `/v1beta/models/...`. */
export const genai2: Client = genaiClient('@google/genai 2', (at) => new GoogleGenAI2(optionsOf(at)))

function optionsOf({ gateway, key, retriesMax }: Place) {
  return {
    apiKey: key,
    httpOptions: {
      baseUrl: gateway,
      // By default, the client sends a request only once.
      ...(retriesMax === null ? {} : { retryOptions: { attempts: retriesMax + 1 } }),
    },
  }
}

function genaiClient(name: string, open: (at: Place) => Sdk): Client {
  return {
    name,
    wire: 'generate',
    cannot: { 'retry-after': 'its error has a status and a message' },
    async count(at, text) {
      const { totalTokens } = await open(at).models.countTokens({ model: at.model, contents: text })
      if (totalTokens === undefined) throw new Error('a count without a number')
      return totalTokens
    },
    failure,
    converse: (at, order) => converse(open(at), at.model, order),
  }
}

function failure(thrown: unknown): ClientFailure | null {
  if (!(thrown instanceof ApiError || thrown instanceof ApiError2)) return null
  return { status: thrown.status, text: textOfError(thrown), retryAfter: null }
}

async function converse(sdk: Sdk, model: string, order: Order): Promise<Heard> {
  const { schema, tools } = order
  const config: GenerateContentConfig = {
    ...(tools
      ? {
          tools: [
            {
              functionDeclarations: tools.map(({ name, description, parameters }) => ({
                name,
                description,
                parametersJsonSchema: parameters,
              })),
            },
          ],
        }
      : {}),
    ...(schema ? { responseMimeType: 'application/json', responseJsonSchema: schema } : {}),
    ...(order.thinks ? { thinkingConfig: { includeThoughts: true } } : {}),
    ...(order.outputTokensMax === undefined ? {} : { maxOutputTokens: order.outputTokensMax }),
  }
  const contents: Content[] = []
  const texts: string[] = []
  let thoughts = ''
  for (const [index, text] of order.turns.entries()) {
    contents.push({ role: 'user', parts: index === 0 ? partsOf(text, order.image) : [{ text }] })
    for (let round = 0; round < roundsMax; round++) {
      // oxlint-disable-next-line no-await-in-loop -- each call answers the one before
      const parts = await answered(sdk, { model, contents: [...contents], config }, order.isStream)
      contents.push({ role: 'model', parts })
      thoughts += textOf(parts.filter(({ thought }) => thought))
      const calls = parts.flatMap(({ functionCall }) => functionCall ?? [])
      if (calls.length === 0) {
        texts.push(textOf(parts.filter(({ thought }) => !thought)))
        break
      }
      contents.push({
        role: 'user',
        parts: calls.map(({ args, id, name = '' }) => ({
          functionResponse: {
            ...(id === undefined ? {} : { id }),
            name,
            response: { output: toolNamed(tools, name).run(args) },
          },
        })),
      })
    }
  }
  return { texts, thoughts }
}

async function answered(sdk: Sdk, params: GenerateContentParameters, isStream: boolean): Promise<Part[]> {
  const parts: Part[] = []
  let isFinished = false
  const take = ({ candidates }: Answer): void => {
    parts.push(...(candidates?.[0]?.content?.parts ?? []))
    isFinished ||= candidates?.[0]?.finishReason !== undefined
  }
  if (!isStream) take(await sdk.models.generateContent(params))
  else for await (const chunk of await sdk.models.generateContentStream(params)) take(chunk)
  // The client does not report an error if a stream ends early. Only a finish reason shows that an answer is complete.
  if (!isFinished) throw new Error('the answer ended without a finish reason')
  return parts
}

function textOf(parts: readonly Part[]): string {
  return parts.map(({ text }) => text ?? '').join('')
}

function partsOf(text: string, image: string | undefined): Part[] {
  return image === undefined ? [{ text }] : [{ inlineData: { mimeType: 'image/png', data: image } }, { text }]
}
