/** How each wire sends a request, and where its responses contain the text. */

export const wires = [
  ['chat', 'Chat'],
  ['messages', 'Messages'],
  ['responses', 'Responses'],
  ['generate', 'Generate'],
] as const
export type Wire = (typeof wires)[number][0]

export interface Asked {
  readonly wire: Wire
  readonly model: string
  readonly prompt: string
  readonly maxTokens: number
  readonly isStreamed: boolean
}

export interface WireRequest {
  /** Path relative to the address of the gateway. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

/** @param key a secret, or the name of a variable in code to copy */
export function wireRequest({ isStreamed, maxTokens, model, prompt, wire }: Asked, key: string): WireRequest {
  const json = { 'content-type': 'application/json' }
  const messages = [{ role: 'user', content: prompt }]
  switch (wire) {
    case 'chat':
      return {
        path: '/v1/chat/completions',
        headers: { ...json, authorization: `Bearer ${key}` },
        body: { model, messages, max_tokens: maxTokens, ...(isStreamed && { stream: true }) },
      }
    case 'messages':
      return {
        path: '/v1/messages',
        headers: { ...json, 'x-api-key': key, 'anthropic-version': '2023-06-01' },
        body: { model, max_tokens: maxTokens, messages, ...(isStreamed && { stream: true }) },
      }
    case 'responses':
      return {
        path: '/v1/responses',
        headers: { ...json, authorization: `Bearer ${key}` },
        body: { model, input: prompt, max_output_tokens: maxTokens, ...(isStreamed && { stream: true }) },
      }
    case 'generate': {
      const name = model.split('/').map(encodeURIComponent).join('/')
      return {
        path: `/v1beta/models/${name}:${isStreamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
        headers: { ...json, 'x-goog-api-key': key },
        body: {
          contents: [{ role: 'user', parts: [{ text: prompt }] }],
          generationConfig: { maxOutputTokens: maxTokens },
        },
      }
    }
    default:
      return wire satisfies never
  }
}

/** Returns the text of a non-streaming response, or of one event of a stream. */
export function textIn(wire: Wire, document: unknown): string {
  switch (wire) {
    case 'chat':
      return each(at(document, 'choices'))
        .map((choice) => textOf(at(choice, 'delta', 'content')) + textOf(at(choice, 'message', 'content')))
        .join('')
    case 'messages':
      if (at(document, 'type') === 'content_block_delta') return textOf(at(document, 'delta', 'text'))
      return each(at(document, 'content'))
        .map((block) => textOf(at(block, 'text')))
        .join('')
    case 'responses':
      if (at(document, 'type') === 'response.output_text.delta') return textOf(at(document, 'delta'))
      return each(at(document, 'output'))
        .flatMap((item) => each(at(item, 'content')))
        .map((part) => textOf(at(part, 'text')))
        .join('')
    case 'generate':
      return each(at(document, 'candidates'))
        .flatMap((candidate) => each(at(candidate, 'content', 'parts')))
        .map((part) => textOf(at(part, 'text')))
        .join('')
    default:
      return wire satisfies never
  }
}

export interface WireFault {
  /** The message to show. */
  readonly message: string
  /** The error in the wire's format. */
  readonly document: unknown
}

/** Returns the error of a response or an event in any of the wire's formats. Null if the document contains no error. */
export function faultIn(document: unknown): WireFault | null {
  const error = at(document, 'error') ?? at(document, 'response', 'error')
  const own = at(document, 'type') === 'error' && error === undefined ? document : error
  if (own === undefined || own === null) return null
  const message = at(own, 'message')
  return { message: typeof message === 'string' ? message : 'The request failed.', document }
}

function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = (found as Readonly<Record<string, unknown>>)[name]
  }
  return found
}

function each(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
