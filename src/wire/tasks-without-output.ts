import { startOf, type Json } from '#wire/text/json-tape.ts'
import type { WireRequest } from './wire-request.ts'

/** Facts of a task whose response contains no text of a model. Nothing is held or charged for its output. */
export const noOutput = {
  isStream: false,
  wantsUsage: true,
  isJsonArray: false,
  outputTokensMax: 0,
  choices: 1,
  serviceTier: null,
  asksForAudio: false,
  asksForImages: false,
} as const satisfies Partial<WireRequest>

/**
 * Returns a position for the output maximum, which is never used. The gateway writes no maximum for a task without
 * output.
 */
export function noMaximum(json: Json) {
  return { at: startOf(json, 0) + 1, before: '', after: '' }
}

/** The text that a task's model reads, for a tokenizer. */
export interface TaskText {
  readonly text: string
  /** Tokens in addition to the text: those that the client sent as numbers, and those around each text. */
  readonly moreTokens: number
}

/** @throws always: readers reject streams of tasks */
export function openNoStream(): never {
  throw new Error('a response of this format does not stream')
}
