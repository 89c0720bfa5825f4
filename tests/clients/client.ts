import type { VendorCall } from '../support/vendor.ts'

/** `#wire` cannot be imported here: this folder is a package of its own. */
export type WireName = VendorCall['wire']

/**
 * An official client, and how to give it an order. An adapter uses it as its own documentation does: the history is the
 * client's own objects given back unchanged, tools run where the client runs them, errors are what it throws.
 */
export interface Client {
  readonly name: string
  readonly wire: WireName
  /** Plays all turns in order, with the model's tool calls in between. @throws what the client throws */
  converse(at: Place, order: Order): Promise<Heard>
  /** The tokens of a text; null: the client has no such call. */
  readonly count: ((at: Place, text: string) => Promise<number>) | null
  /** The facts of an error that `converse` threw; null: it is no error of this client. */
  failure(thrown: unknown): ClientFailure | null
  /** Abilities that this client lacks, and why. */
  readonly cannot: Readonly<Partial<Record<Ability, string>>>
}

export type Ability =
  | 'image'
  /** Its answers show the model's thoughts. */
  | 'thoughts'
  /** It gives the seals of thoughts back that came with a text. */
  | 'seals'
  /** It gives the seals of thoughts back that came with tool calls. */
  | 'call seals'
  /** Its errors have the header with the time to wait. */
  | 'retry-after'
  /** The error of a failed stream has the code or the sentence. */
  | 'code'

export interface Place {
  /** Without a path. */
  readonly gateway: string
  readonly key: string
  readonly model: string
  /** The most retries of the client; null: its own default. */
  readonly retriesMax: number | null
}

export interface Order {
  /** The user's texts, in order. */
  readonly turns: readonly string[]
  readonly isStream: boolean
  /** A PNG in base64, sent with the first turn. */
  readonly image?: string
  readonly tools?: readonly Tool[]
  /** The answer must be JSON of this schema. */
  readonly schema?: Schema
  /** Whether the client requests thoughts, and requests that they are shown. */
  readonly thinks?: boolean
  readonly outputTokensMax?: number
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly parameters: Schema
  readonly run: (args: unknown) => string
}

/** The strictest form that any vendor requires: closed, with all fields required. */
export interface Schema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, { readonly type: 'string' | 'integer' }>>
  readonly required: string[]
  readonly additionalProperties: false
}

export interface Heard {
  /** The last text of each turn. */
  readonly texts: readonly string[]
  /** All thoughts shown. */
  readonly thoughts: string
}

export interface ClientFailure {
  /** 0: the client does not say. */
  readonly status: number
  /** The whole error as text, to search for words. */
  readonly text: string
  readonly retryAfter: string | null
}

/** More rounds of tools than any test orders. */
export const roundsMax = 5

export function toolNamed(tools: readonly Tool[] | undefined, name: string): Tool {
  const tool = tools?.find((one) => one.name === name)
  if (!tool) throw new Error(`the model calls ${name}, which nobody has`)
  return tool
}

/** Any thrown value as text: messages, bodies and causes. */
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
    // A circular object: a socket, a request. Never part of a user's error.
    return ''
  }
}
