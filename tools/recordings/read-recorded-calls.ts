/**
 * Reads recorded calls of public test suites: cassettes of VCR in Python and Ruby (YAML), and replays of Google's
 * clients (JSON). Only POST requests with a JSON body to the APIs of model vendors are read. Duplicates are skipped.
 */
import type { ProviderKind } from '#domain/accounts/provider-kinds.ts'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, YAMLError } from 'yaml'

/** A recorded call. */
export interface RecordedCall {
  readonly host: string
  /** The path as a client sends it to a gateway, with the query. */
  readonly url: string
  readonly body: object
  readonly status: number
  /** The body of the response. Null if the body is not text. */
  readonly answer: string | null
  /** The input tokens that a header of Bedrock's response reports. Null if no header reports the input tokens. */
  readonly headTokens: number | null
  /** Path of the recording in the folder. */
  readonly file: string
}

/** Returns the calls in all files of a folder and of the folders in it. */
export function recordedCalls(folder: string): readonly RecordedCall[] {
  const calls = new Map<string, RecordedCall>()
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const read = /\.ya?ml$/.test(file) ? fromCassette : file.endsWith('.json') ? fromReplay : null
    for (const call of read?.(readFileSync(join(folder, file), 'utf8')) ?? [])
      calls.set(`${call.url} ${JSON.stringify(call.body)}`, { ...call, file })
  }
  return [...calls.values()]
}

type ReadCall = Omit<RecordedCall, 'file'>

function* fromCassette(text: string): Generator<ReadCall> {
  const file = cassetteOf(text)
  for (const interaction of [...listAt(file, 'interactions'), ...listAt(file, 'http_interactions')]) {
    const request = at(interaction, 'request')
    const response = at(interaction, 'response')
    const sent = at(request, 'body')
    const body = at(request, 'parsed_body') ?? jsonOf(at(sent, 'string') ?? sent)
    const told = at(at(response, 'body'), 'string')
    const parsed = at(response, 'parsed_body')
    const call = callOf({
      method: at(request, 'method'),
      uri: at(request, 'uri'),
      body,
      status: at(at(response, 'status'), 'code'),
      answer: typeof told === 'string' ? told : parsed === undefined ? null : JSON.stringify(parsed),
      headTokens: Number(listAt(at(response, 'headers'), 'x-amzn-bedrock-input-token-count')[0]) || null,
    })
    if (call !== null) yield call
  }
}

function* fromReplay(text: string): Generator<ReadCall> {
  for (const interaction of listAt(JSON.parse(text), 'interactions')) {
    const request = at(interaction, 'request')
    const response = at(interaction, 'response')
    const segments = listAt(response, 'bodySegments').map((segment) => JSON.stringify(segment))
    const call = callOf({
      method: at(request, 'method') ?? 'POST',
      uri: `https://generativelanguage.googleapis.com/${String(at(request, 'url')).replace(/^(?:https?:\/\/[^/]+)?\/?/, '')}`,
      body: listAt(request, 'bodySegments')[0],
      status: at(response, 'statusCode'),
      answer:
        segments.length === 1
          ? (segments[0] ?? null)
          : segments.map((one) => `data: ${one}\r\n\r\n`).join(''),
      headTokens: null,
    })
    if (call !== null) yield call
  }
}

/** Some suites contain files that were edited by hand and are not valid YAML, or have a key twice. */
function cassetteOf(text: string): unknown {
  try {
    return parse(text, { uniqueKeys: false, logLevel: 'error' })
  } catch (error) {
    if (error instanceof YAMLError) return null
    throw error
  }
}

interface Parts {
  readonly method: unknown
  readonly uri: unknown
  readonly body: unknown
  readonly status: unknown
  readonly answer: string | null
  readonly headTokens: number | null
}

function callOf({ answer, body, headTokens, method, status, uri }: Parts): ReadCall | null {
  const url = URL.parse(String(uri))
  if (url === null) return null
  const { host, pathname, search } = url
  if (!/^post$/i.test(String(method)) || !vendors.test(host)) return null
  if (typeof body !== 'object' || body === null) return null
  return { host, url: gatewayPath(pathname) + search, body, status: Number(status), answer, headTokens }
}

const vendors =
  /openai|anthropic|googleapis|mistral|groq|deepseek|cohere|huggingface|cerebras|openrouter|bedrock|z\.ai|voyageai|ollama|x\.ai/

/** For each vendor with a kind of account of its own, a part of its hosts. */
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

/** Returns the kind of account that would call the host. Null if the vendor has no kind of its own. */
export function kindOfHost(host: string): ProviderKind | null {
  return kindsOfHosts.find(([pattern]) => pattern.test(host))?.[1] ?? null
}

/** Returns the path at a gateway. The path at a gateway begins where the vendors' base URLs end. */
function gatewayPath(path: string): string {
  const google = /\/models\/[^/]+:\w+$/.exec(path)?.[0]
  if (google !== undefined && !path.includes('/publishers/anthropic')) return `/v1beta${google}`
  const openai = openaiPaths.exec(path)?.[0]
  return openai === undefined ? path : `/v1${openai}`
}

const openaiPaths =
  /\/(?:(?:chat\/)?completions|messages(?:\/count_tokens)?|responses(?:\/(?:input_tokens|compact))?|embeddings|moderations|rerank|images\/(?:generations|edits)|audio\/(?:speech|transcriptions|translations))$/

function at(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (Reflect.get(value, name) ?? undefined) : undefined
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const list = at(value, name)
  return Array.isArray(list) ? list : []
}

function jsonOf(body: unknown): unknown {
  try {
    return typeof body === 'string' ? JSON.parse(body) : undefined
  } catch {
    return undefined
  }
}
