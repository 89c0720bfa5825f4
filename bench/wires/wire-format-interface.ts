export interface BenchWire {
  readonly name: WireName
  readonly path: (model: string, isStream: boolean) => string
  readonly body: (model: string, isStream: boolean) => object
  readonly answer: (model: string) => object
  readonly frames: (model: string, chunks: number) => StreamFrames
  readonly blank: string
  /** Occurs once in each event with generated text, whether the provider or the gateway wrote the event. */
  readonly textMark: string
  /** Occurs in every response, streamed or not: the number of input tokens that the provider reports. */
  readonly usageMark: RegExp
}

export type WireName = 'chat' | 'messages' | 'generate' | 'responses'

export interface StreamFrames {
  /** The provider sends these frames together with the first generated text, as a real provider does. */
  readonly opening: string
  /** Each event has one token. On some wires, the events differ from each other. */
  readonly contents: readonly string[]
  readonly closing: string
}

export const inputTokens = 96
export const wholeTokens = 24
export const token = ' token'

/** The length of OpenAI's padding varies, so that the length of an event reveals nothing about its token. */
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

export const systemText =
  'You help the customers of a small shop that sells bicycles, spare parts and repairs. Answer in ' +
  'short sentences, never promise a delivery date, and ask for the order number when it is missing.'
export const userText =
  'My order came without the rear light and the box was open on one side. What should I send you so ' +
  'that you can look into it, and can I keep the rest of the order until the light arrives?'
