/** What the bench knows of a wire format: how it is called, and what a provider that speaks it answers. */
export interface BenchWire {
  readonly name: WireName
  readonly path: (model: string, isStream: boolean) => string
  readonly body: (model: string, isStream: boolean) => object
  /** What a provider answers: one body, or the frames of a stream. */
  readonly answer: (model: string) => object
  readonly frames: (model: string, chunks: number) => StreamFrames
  /** The end of an event. */
  readonly blank: string
  /** Stands once in each event that carries text, whoever has written the event. */
  readonly textMark: string
  /** Stands in the answer, whole or streamed: the input tokens that the provider has told. */
  readonly usageMark: RegExp
}

export type WireName = 'chat' | 'messages' | 'generate' | 'responses'

export interface StreamFrames {
  /** All before the first text: it leaves with it, since a provider has nothing to say before. */
  readonly opening: string
  /** Events with one token each, which take turns: on some wires they differ. */
  readonly contents: readonly string[]
  readonly closing: string
}

export const inputTokens = 96
/** Tokens of an answer that is not streamed. */
export const wholeTokens = 24
export const token = ' token'

/** What OpenAI pads its events with, so that their length tells nothing: another length in each. */
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
