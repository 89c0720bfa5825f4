import { CommandError, exit, interrupted, type Terminal } from './terminal-interface.ts'

export interface GatewayCall {
  readonly gateway: string
  /** A key of an end user, which starts with `ak_`. */
  readonly key: string
  readonly model: string
  readonly prompt: string
  readonly maxTokens: number
  readonly isStreamed?: boolean
}

export interface GatewayAnswer {
  readonly status: number
  readonly requestId: string
  readonly text: string
}

/** @throws CommandError if the request is interrupted, or if the response is incomplete */
export async function gatewayCall(
  { gateway, isStreamed = false, key, maxTokens, model, prompt }: GatewayCall,
  { fetch, signal }: Pick<Terminal, 'fetch' | 'signal'>,
): Promise<GatewayAnswer> {
  try {
    const response = await fetch(`${gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        max_completion_tokens: maxTokens,
        ...(isStreamed && { stream: true }),
        messages: [{ role: 'user', content: prompt }],
      }),
      signal,
    })
    const text = await response.text()
    return {
      status: response.status,
      requestId: response.headers.get('x-request-id') ?? '',
      text: isStreamed && response.ok ? wordsInStream(text) : wordsIn(text),
    }
  } catch (cause) {
    if (signal.aborted) throw interrupted(signal)
    throw new CommandError(
      `The gateway at ${gateway} did not return a complete response.`,
      exit.unreachable,
      { cause },
    )
  }
}

interface Answered {
  readonly choices?: readonly {
    readonly message?: { readonly content?: string | null }
    readonly delta?: { readonly content?: string | null }
  }[]
  readonly error?: { readonly message?: string }
}

function wordsIn(text: string): string {
  try {
    const { choices, error }: Answered = JSON.parse(text)
    return error?.message ?? choices?.[0]?.message?.content ?? ''
  } catch {
    return text.slice(0, 200)
  }
}

function wordsInStream(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => {
      const { choices }: Answered = JSON.parse(line.slice(6))
      return choices?.[0]?.delta?.content ?? ''
    })
    .join('')
}
