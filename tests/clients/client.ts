import type { VendorCall } from '../support/vendor.ts'

/** `#wire` is not to be had here: this folder is a package of its own. */
export type WireName = VendorCall['wire']

/**
 * An official client, and how it is told to say what a test wants said. An adapter uses it as its own
 * documentation does: the history is the client's own objects given back as they came, tools are run by
 * whoever runs them there, errors are whatever it throws.
 */
export interface Client {
  readonly name: string
  readonly wire: WireName
  /** Says all turns, one after the other, with what the model asks for in between. @throws what the client throws */
  converse(at: Place, order: Order): Promise<Heard>
  /** The tokens of a text; null: the client has no such call. */
  readonly count: ((at: Place, text: string) => Promise<number>) | null
  /** What a test reads of something that `converse` threw; null: it is no error of this client. */
  failure(thrown: unknown): ClientFailure | null
  /** What of an order this client itself has no way to say, or does not do, and why. */
  readonly cannot: Readonly<Partial<Record<Ability, string>>>
}

export type Ability =
  | 'image'
  /** Its answers show what the model thought. */
  | 'thoughts'
  /** It gives back what a model's thoughts were sealed with, when they came with a text. */
  | 'seals'
  /** The same, when they came with calls of tools. */
  | 'call seals'
  /** Its errors have the header that says how long to wait. */
  | 'retry-after'
  /** What it raises when a stream fails has the error's code or sentence. */
  | 'code'

export interface Place {
  /** Without a path. */
  readonly gateway: string
  readonly key: string
  readonly model: string
  /** How often the client may try again; null: as often as it does by itself. */
  readonly retriesMax: number | null
}

export interface Order {
  /** What the user says, one after the other. */
  readonly turns: readonly string[]
  readonly isStream: boolean
  /** A PNG in base64, beside the first turn. */
  readonly image?: string
  readonly tools?: readonly Tool[]
  /** The answer is to be JSON of this schema. */
  readonly schema?: Schema
  /** Asks for thoughts, and to be shown them. */
  readonly thinks?: boolean
  readonly outputTokensMax?: number
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly parameters: Schema
  readonly run: (args: unknown) => string
}

/** As strict as any vendor wants one: closed, and everything in it required. */
export interface Schema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, { readonly type: 'string' | 'integer' }>>
  readonly required: string[]
  readonly additionalProperties: false
}

export interface Heard {
  /** The text that each turn ended with. */
  readonly texts: readonly string[]
  /** All that was shown of what the model thought. */
  readonly thoughts: string
}

export interface ClientFailure {
  /** 0: the client does not say. */
  readonly status: number
  /** Everything that the error says, to look for words in. */
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

/** Whatever is thrown, as text: messages, bodies and causes. */
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
    // Something that refers to itself: a socket, a request. Nothing that a user is told.
    return ''
  }
}
