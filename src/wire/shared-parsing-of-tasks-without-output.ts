import { startOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { placesIn } from './positions-to-edit.ts'
import { flagAt, refuse, type Fields, type Places, type WireRequest } from './wire-request.ts'

/**
 * The facts that apply to every task whose models write no text. For such a task, nothing is held or charged for
 * output.
 */
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
 * Returns the position for a new output maximum, which `Places` requires. The position is never used, because the
 * gateway writes no maximum for a task without output.
 */
export function noMaximum(json: Json) {
  return { at: startOf(json, 0) + 1, before: '', after: '' }
}

/** Returns the positions to edit in a body that has no output maximum. The model and `svc` are top-level fields. */
export function placesWithoutMaximum(json: Json, fields: Fields<'model' | 'svc'>): Places {
  return { ...placesIn(json, fields, [], '', []), newMaximum: noMaximum(json) }
}

/**
 * Rejects a request for a stream.
 * @param tasks the plural name of the tasks, which begins the error message
 */
export function refuseStream(json: Json, stream: Node, tasks: string): void {
  if (flagAt(json, 'stream', stream))
    refuse('invalid_request', 'stream', `${tasks} do not stream. Omit the field stream.`)
}

/** The text that a task's model reads, for a tokenizer. */
export interface TaskText {
  readonly text: string
  /**
   * Number of additional tokens: tokens that the client sent as numbers, and tokens that a template adds around each
   * text.
   */
  readonly moreTokens: number
}

/** @throws always, because the parser of the task rejects a request for a stream */
export function openNoStream(): never {
  throw new Error('a response of this format does not stream')
}
