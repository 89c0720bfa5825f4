/** This folder is a separate package, so it cannot import `#wire`. */
export type WireName = 'chat' | 'messages' | 'generate' | 'responses'

/**
 * An adapter calls the client in the way that the client's documentation describes. The history consists of the
 * client's own objects, sent back unchanged. Tools run inside the client if the client can run tools, and errors are
 * the client's exceptions.
 */
export interface Client {
  readonly name: string
  readonly wire: WireName
  /** Runs all turns in order, with the model's tool calls in between. @throws the client's error */
  converse(at: Place, order: Order): Promise<Heard>
  /** Null if the client cannot count tokens. */
  readonly count: ((at: Place, text: string) => Promise<number>) | null
  /** Null if the error is not an error of this client. */
  failure(thrown: unknown): ClientFailure | null
  /** Capabilities that this client lacks, with the reason. */
  readonly cannot: Readonly<Partial<Record<Ability, string>>>
}

export type Ability =
  | 'image'
  /** Whether the client's answers show the model's thoughts. */
  | 'thoughts'
  /** Whether the client sends back the signatures of thoughts that arrived with a text. */
  | 'seals'
  /** Whether the client sends back the signatures of thoughts that arrived with tool calls. */
  | 'call seals'
  /** Whether the client reads tool calls in streams. */
  | 'streamed calls'
  /** Whether the client's errors contain the header that states the wait time. */
  | 'retry-after'
  /** Whether the client's error for a failed stream contains the code or the message. */
  | 'code'

export interface Place {
  /** Without a path. */
  readonly gateway: string
  readonly key: string
  readonly model: string
  /** The maximum number of retries of the client. Null means the client's default. */
  readonly retriesMax: number | null
}

export interface Order {
  readonly turns: readonly string[]
  readonly isStream: boolean
  /** The PNG is in base64, and is sent with the first turn. */
  readonly image?: string
  readonly tools?: readonly Tool[]
  readonly schema?: Schema
  readonly thinks?: boolean
  readonly outputTokensMax?: number
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly parameters: Schema
  readonly run: (args: unknown) => string
}

/** A schema in the strictest form that any vendor requires: no additional fields, and all fields required. */
export interface Schema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, { readonly type: 'string' | 'integer' }>>
  readonly required: string[]
  readonly additionalProperties: false
}

export interface Heard {
  /** Contains one text for each turn, the last of the turn. */
  readonly texts: readonly string[]
  readonly thoughts: string
}

export interface ClientFailure {
  /** The status of the response, or 0 if the client does not report the status. */
  readonly status: number
  /** Tests search for words in this text of the whole error. */
  readonly text: string
  readonly retryAfter: string | null
}

/** Maximum number of tool rounds, more than any test needs. */
export const roundsMax = 5

export function toolNamed(tools: readonly Tool[] | undefined, name: string): Tool {
  const tool = tools?.find((one) => one.name === name)
  if (!tool) throw new Error(`the model calls ${name}, which nobody has`)
  return tool
}

/** The text contains messages, bodies and causes. */
export function textOfError(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? String(error)
  const own = Object.getOwnPropertyNames(error)
    .filter((name) => name !== 'stack' && name !== 'cause')
    .map((name) => {
      const value: unknown = Reflect.get(error, name)
      return value instanceof Error ? textOfError(value) : safeJson(value)
    })
  return [...own, error.cause === undefined ? '' : textOfError(error.cause)].join('\n')
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    // A circular object, such as a socket or a request, cannot be written as JSON. An error that a user sees never
    // contains a circular object.
    return ''
  }
}
