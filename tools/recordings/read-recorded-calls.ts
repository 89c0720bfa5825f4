/**
 * Reads the calls that public test suites recorded (recording-formats.ts lists the known formats). Only POST requests
 * with a JSON body to the APIs of model vendors are read. Duplicates are skipped.
 */
import type { ProviderKind } from '#domain/accounts/provider-kinds.ts'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { interactionsIn, jsonOf, type Interaction } from './recording-formats.ts'

export interface RecordedCall {
  readonly host: string
  /** The path as a client sends it to a gateway, with the query. */
  readonly url: string
  readonly body: object
  readonly status: number
  /** Null if the body is not text. */
  readonly answer: string | null
  /** From a header of Bedrock's response. Null if no header reports the input tokens. */
  readonly headTokens: number | null
  readonly file: string
}

/** Includes subfolders. */
export function recordedCalls(folder: string): readonly RecordedCall[] {
  const calls = new Map<string, RecordedCall>()
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    for (const call of interactionsIn(join(folder, file)).map(callOf))
      if (call !== null) calls.set(`${call.url} ${JSON.stringify(call.body)}`, { ...call, file })
  }
  return [...calls.values()]
}

function callOf({
  answer,
  body: written,
  headTokens,
  method,
  status,
  url,
}: Interaction): Omit<RecordedCall, 'file'> | null {
  const parsed = URL.parse(String(url))
  if (parsed === null) return null
  const { host, pathname, search } = parsed
  if (!/^post$/i.test(String(method)) || !vendors.test(host)) return null
  const body = typeof written === 'string' ? jsonOf(written) : written
  if (typeof body !== 'object' || body === null) return null
  return { host, url: gatewayPath(pathname) + search, body, status: Number(status), answer, headTokens }
}

const vendors =
  /openai|anthropic|googleapis|mistral|groq|deepseek|cohere|huggingface|cerebras|openrouter|bedrock|z\.ai|voyageai|ollama|x\.ai|charm\.land/

/** For each vendor that has its own kind of account, a pattern of the vendor's hosts. */
const kindsOfHosts: readonly (readonly [RegExp, ProviderKind])[] = [
  [/openai\.azure\.com$/, 'azure_openai'],
  [/(?:^|\.)openai\.com$/, 'openai'],
  [/(?:^|\.)anthropic\.com$/, 'anthropic'],
  [/^generativelanguage\.googleapis\.com$/, 'google'],
  [/aiplatform\.googleapis\.com$/, 'vertex'],
  [/^bedrock-runtime\./, 'bedrock'],
  [/(?:^|\.)mistral\.ai$/, 'mistral'],
  [/(?:^|\.)groq\.com$/, 'groq'],
  [/(?:^|\.)x\.ai$/, 'xai'],
  [/(?:^|\.)openrouter\.ai$/, 'openrouter'],
  [/(?:^|\.)cohere\.com$/, 'cohere'],
  [/ollama/, 'ollama'],
]

/** Null if the vendor has no kind of its own. */
export function kindOfHost(host: string): ProviderKind | null {
  return kindsOfHosts.find(([pattern]) => pattern.test(host))?.[1] ?? null
}

/** Except for Azure, the path at a gateway begins where the vendor's base URL ends. */
function gatewayPath(path: string): string {
  const azure = /\/openai\/deployments\/.+$|^\/openai\/.+$/.exec(path)?.[0]
  if (azure !== undefined) return azure
  const google = /\/models\/[^/]+:\w+$/.exec(path)?.[0]
  if (google !== undefined && !path.includes('/publishers/anthropic')) return `/v1beta${google}`
  const openai = openaiPaths.exec(path)?.[0]
  return openai === undefined ? path : `/v1${openai}`
}

/** Excludes requests whose paths end alike: Mistral's under `agents`, `chat` and `fim`, and OpenAI's threads. */
const openaiPaths =
  /(?<!\/(?:agents|chat|fim|threads\/[^/]+))\/(?:(?:chat\/)?completions|messages(?:\/count_tokens)?|responses(?:\/(?:input_tokens|compact))?|embeddings|moderations|(?<=\/v\d\/)rerank|images\/(?:generations|edits)|audio\/(?:speech|transcriptions|translations))$/
