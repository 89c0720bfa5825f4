/** A wire format in the bench: how to call it, and how its providers respond. */
export interface BenchWire {
  readonly name: WireName
  readonly path: (model: string, isStream: boolean) => string
  readonly body: (model: string, isStream: boolean) => object
  /** A provider's answer: one body, or the frames of a stream. */
  readonly answer: (model: string) => object
  readonly frames: (model: string, chunks: number) => StreamFrames
  /** The end of an event. */
  readonly blank: string
  /** Occurs once in each event with text, whichever program wrote the event. */
  readonly textMark: string
  /** Occurs in the answer, whole or streamed: the input tokens that the provider reports. */
  readonly usageMark: RegExp
}

export type WireName = 'chat' | 'messages' | 'generate' | 'responses'

export interface StreamFrames {
  /** All frames before the first text, with which they leave: a provider has nothing to send before. */
  readonly opening: string
  /** Events with one token each, sent one after the other. On some wires, they differ. */
  readonly contents: readonly string[]
  readonly closing: string
}

export const inputTokens = 96
/** Tokens of an answer that is not streamed. */
export const wholeTokens = 24
export const token = ' token'

/** OpenAI's padding of events, of varying length, so that their length reveals nothing. */
export const paddings = [
  'Qup1BsQ3',
  'dTh',
  'RIdwxH030',
  'zap0',
  'qfQVOwfh62oUst',
  'oHb',
  'UqdZk18gUR',
  'h9RiQLL',
  '8',
]

const words = ' the model answers in small pieces, each about one token.'

export function wholeText(): string {
  return words.repeat(3).trim().split(' ').slice(0, wholeTokens).join(' ')
}

/** A system text and a question, about 500 bytes. */
export const systemText =
  'You help the customers of a small shop that sells bicycles, spare parts and repairs. Answer in ' +
  'short sentences, never promise a delivery date, and ask for the order number when it is missing.'
export const userText =
  'My order came without the rear light and the box was open on one side. What should I send you so ' +
  'that you can look into it, and can I keep the rest of the order until the light arrives?'
