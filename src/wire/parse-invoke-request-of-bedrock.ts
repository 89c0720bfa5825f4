import { chat } from './chat/wire.ts'
import { completions } from './completions/wire.ts'
import { converse } from './converse/wire.ts'
import { familyFields } from './invoke-embeddings/formats-by-embedding-family.ts'
import { parseInvokeEmbeddings } from './invoke-embeddings/request.ts'
import type { BodyFamily, PromptFamily } from './invoke/body-families.ts'
import { withPathFields } from './invoke/add-path-fields-to-body.ts'
import { converseTextOfNova } from './invoke/nova-body.ts'
import { completionsTextOf, faultOfPrompt } from './invoke/prompt-bodies.ts'
import { messages } from './messages/wire.ts'
import { rerank } from './rerank/wire.ts'
import type { ByteText } from './text/byte-text.ts'
import { parseJson } from './text/json-parser.ts'
import { kindOf, kinds, member, type Json } from './text/json-tape.ts'
import { itemsOf } from './text/members-of-tape-nodes.ts'
import type { Wire } from './wire.ts'
import {
  fault,
  faultOfJson,
  isFault,
  isGiven,
  refuse,
  refuseTwice,
  requestLimits,
  unlessRefused,
  type RequestPath,
} from './wire-request.ts'

/**
 * The body shows its own format, because the model in the path is a name of the application. A body that states a
 * version is a body of Claude. All other formats are in `formats`.
 */
export const parseInvoke: Wire['parseRequest'] = (body, path, keep) => {
  const request = messages.parseRequest(body, path, keep)
  const isOther = isFault(request) && request.param === 'anthropic_version'
  if (!isOther) return request
  const json = typeof body === 'string' ? parseJson(body, requestLimits) : body
  if ('reason' in json) return faultOfJson(json)
  const found = unlessRefused(() => rewritten(json, path))
  if (isFault(found)) return found
  const { parse, text } = found
  // The rules for the provider's tools depend on the format of the path. In another format, no such tool is sent, so
  // omit `keep`.
  if (text === null) return parse(body, path)
  if (typeof body === 'string') return parse(text, path)
  return { ...fault('invalid_request', null, 'The body is parsed again.'), instead: { text, parse } }
}

type Parse = Wire['parseRequest']

/** The text in another format, or null if the body is not rewritten. */
interface Rewritten {
  readonly text: ByteText | null
  readonly parse: Parse
}

function rewritten(json: Json, path: RequestPath): Rewritten {
  const format = formats.find(({ fields, isBody }) => fields.some(hasAll(json)) || isBody?.(json) === true)
  if (format === undefined) return refuse('invalid_request', null, unknownFormat)
  if ('instead' in format)
    return refuse('invalid_request', null, `Tollgate does not serve ${format.title}. ${format.instead}`)
  const { family, parse, rewrite } = format
  const text = rewrite?.(json, path) ?? null
  if (text !== null && json.repeated !== null) refuseTwice(json.repeated, ' in one object')
  return { text, parse: family === undefined ? parse : ofFamily(parse, family) }
}

const unknownFormat =
  'The fields of the body show no format. This path accepts bodies of Claude, Nova, Llama, Mistral, Titan and Command, and bodies of OpenAI’s format. Send requests for other models to /model/<model>/converse.'

function hasAll(json: Json): (fields: string) => boolean {
  return (fields) => fields.split(' ').every((field) => isGiven(json, member(json, 0, field)))
}

function ofFamily(parse: Parse, family: BodyFamily): Parse {
  return (body, path) => {
    const request = parse(body, path)
    return isFault(request) ? request : { ...request, family }
  }
}

/** A body format that is either read (`parse`) or rejected with advice (`instead`). */
type Format = {
  /** A body that contains all fields of one of these lists has this format. */
  readonly fields: readonly string[]
  /** Whether a body that matches none of the lists has this format. */
  readonly isBody?: (json: Json) => boolean
} & (
  | {
      readonly parse: Parse
      readonly rewrite?: (json: Json, path: RequestPath) => ByteText
      readonly family?: BodyFamily
    }
  | { readonly title: string; readonly instead: string }
)

const asConversation = 'Send the conversation to /model/<model>/converse.'

/** The first format that matches is used. */
const formats: readonly Format[] = [
  prompt('titan', ['inputText textGenerationConfig']),
  { fields: familyFields.map(([field]) => field), parse: parseInvokeEmbeddings },
  {
    fields: ['query documents'],
    rewrite: (json, path) => withPathFields(json, path, ['api_version']),
    parse: rerank.parseRequest,
  },
  {
    fields: ['messages schemaVersion', 'messages inferenceConfig', 'messages toolConfig'],
    isBody: hasBlocksWithoutType,
    family: 'nova',
    rewrite: converseTextOfNova,
    parse: converse.parseRequest,
  },
  {
    fields: ['messages system'],
    title: 'bodies of Claude without a version',
    instead: 'Set anthropic_version to bedrock-2023-05-31.',
  },
  {
    fields: ['messages'],
    family: 'openai',
    rewrite: withPathFields,
    parse: chat.parseRequest,
  },
  prompt('llama', ['prompt max_gen_len']),
  {
    fields: ['prompt max_tokens_to_sample'],
    title: 'the older text completions of Claude',
    instead: 'Send the prompt as a user message, with anthropic_version and messages.',
  },
  {
    fields: ['prompt maxTokens', 'prompt numResults', 'prompt countPenalty'],
    title: 'Jurassic-2 of AI21',
    instead: asConversation,
  },
  { fields: ['message'], title: 'bodies of Command R', instead: asConversation },
  {
    fields: ['text_prompts', 'imageGenerationConfig', 'prompt aspect_ratio', 'prompt output_format'],
    title: 'images at this path',
    instead: 'Send the prompt to /v1/images/generations.',
  },
  prompt('command', ['p', 'k', 'num_generations', 'return_likelihoods', 'stop_sequences'].map(withPrompt)),
  prompt('mistral', ['max_tokens', 'stop', 'top_k'].map(withPrompt)),
]

function withPrompt(field: string): string {
  return `prompt ${field}`
}

function prompt(family: PromptFamily, fields: readonly string[]): Format {
  return {
    fields,
    family,
    rewrite: (json, path) => completionsTextOf(json, family, path),
    parse(body, path) {
      const request = completions.parseRequest(body, path)
      return isFault(request) ? faultOfPrompt(request, family) : request
    },
  }
}

/** Recognizes a body of Nova without Nova's optional fields, by blocks without `type` in the first message. */
function hasBlocksWithoutType(json: Json): boolean {
  const [message = -1] = itemsOf(json, member(json, 0, 'messages'))
  const [block = -1] = itemsOf(json, member(json, message, 'content'))
  return kindOf(json, block) === kinds.object && member(json, block, 'type') < 0
}
