import type { WireName } from '#wire/names-of-wires-and-tasks.ts'

export const clientWires: readonly WireName[] = ['chat', 'messages', 'responses', 'generate']

export interface Asked {
  readonly model: string
  readonly isStream: boolean
  readonly text?: string
  readonly outputTokensMax: number
}

export const usualText = 'Hello'

export function requestOf(
  wire: WireName,
  { isStream, model, outputTokensMax, text = usualText }: Asked,
): { path: string; body: string } {
  const messages = [{ role: 'user', content: text }]
  switch (wire) {
    case 'chat':
      return {
        path: '/v1/chat/completions',
        body: JSON.stringify({ model, messages, stream: isStream, max_tokens: outputTokensMax }),
      }
    case 'messages':
      return {
        path: '/v1/messages',
        body: JSON.stringify({ model, messages, stream: isStream, max_tokens: outputTokensMax }),
      }
    case 'generate': {
      const method = isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'
      const generationConfig = { maxOutputTokens: outputTokensMax }
      return {
        path: `/v1beta/models/${encodeURIComponent(model)}:${method}`,
        body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text }] }], generationConfig }),
      }
    }
    default:
      return {
        path: '/v1/responses',
        body: JSON.stringify({ model, input: text, stream: isStream, max_output_tokens: outputTokensMax }),
      }
  }
}

export interface Read {
  readonly text: string
  /** Whether the response ends as a complete response of the wire does. */
  readonly isWhole: boolean
  /** Null if the wire's official client raises no error. */
  readonly error: { readonly code: unknown; readonly message: string } | null
}

// oxlint-disable-next-line typescript/no-explicit-any -- a test looks at what is there
type Json = any

export function readStream(wire: WireName, body: string): Read {
  const frames = body.split(/\r?\n\r?\n/).filter((frame) => frame !== '')
  let text = ''
  let isWhole = false
  let hasFinished = false
  let error: Read['error'] = null
  for (const frame of frames) {
    const data = /^data: (?<data>.*)$/m.exec(frame)?.groups?.['data']
    if (data === undefined) continue
    if (data === '[DONE]') {
      isWhole ||= hasFinished && error === null
      continue
    }
    const json: Json = JSON.parse(data)
    error ??= errorIn(wire, json, frame)
    switch (wire) {
      case 'chat':
        text += json.choices?.[0]?.delta?.content ?? ''
        hasFinished ||= typeof json.choices?.[0]?.finish_reason === 'string'
        break
      case 'messages':
        text += json.delta?.text ?? ''
        isWhole ||= json.type === 'message_stop'
        break
      case 'generate':
        for (const part of json.candidates?.[0]?.content?.parts ?? []) text += part.text ?? ''
        isWhole ||= json.candidates?.[0]?.finishReason !== undefined || json.promptFeedback !== undefined
        break
      default:
        if (json.type === 'response.output_text.delta') text += json.delta
        isWhole ||= json.type === 'response.completed' || json.type === 'response.incomplete'
    }
  }
  return { text, isWhole, error }
}

export function readWhole(wire: WireName, body: string): Read {
  const json: Json = JSON.parse(body)
  const error = errorIn(wire, json, 'event: error')
  if (error !== null) return { text: '', isWhole: false, error }
  switch (wire) {
    case 'chat':
      return {
        text: json.choices[0].message.content ?? '',
        isWhole: typeof json.choices[0].finish_reason === 'string',
        error,
      }
    case 'messages':
      return {
        text: json.content.map((block: Json) => block.text).join(''),
        isWhole: typeof json.stop_reason === 'string',
        error,
      }
    case 'generate':
      return {
        text: (json.candidates?.[0]?.content?.parts ?? []).map((part: Json) => part.text).join(''),
        isWhole: json.candidates?.[0]?.finishReason !== undefined || json.promptFeedback !== undefined,
        error,
      }
    default:
      return {
        text: json.output
          .flatMap((item: Json) => item.content ?? [])
          .map((part: Json) => part.text)
          .join(''),
        isWhole: ['completed', 'incomplete'].includes(json.status),
        error,
      }
  }
}

/**
 * Returns the error in the format that makes the wire's official client raise it. A client of the messages wire ignores
 * an error without its `event:` line. A client of the generate wire ignores a code that is not a number.
 */
function errorIn(wire: WireName, json: Json, frame: string): Read['error'] {
  const { error } = json
  if (error === undefined || error === null) return null
  const { message } = error
  switch (wire) {
    case 'messages':
      if (json.type !== 'error' || typeof error.type !== 'string' || !frame.startsWith('event: error'))
        return null
      return { code: error.details?.error_code ?? error.type, message }
    case 'generate':
      if (!Number.isInteger(error.code) || typeof error.status !== 'string') return null
      return { code: error.details?.[0]?.reason ?? error.status, message }
    default:
      return typeof error.type === 'string' ? { code: error.code, message } : null
  }
}
