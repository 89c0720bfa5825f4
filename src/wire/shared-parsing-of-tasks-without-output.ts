import { startOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { placesIn } from './positions-to-edit.ts'
import { flagAt, refuse, type Fields, type Places, type WireRequest } from './wire-request.ts'

/** Models of these tasks write no text, so nothing is held or charged for output. */
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

/** `Places` requires a position for a new maximum, but the gateway writes no maximum for these tasks. */
export function noMaximum(json: Json) {
  return { at: startOf(json, 0) + 1, before: '', after: '' }
}

/** The model and `svc` must be top-level fields. */
export function placesWithoutMaximum(json: Json, fields: Fields<'model' | 'svc'>): Places {
  return { ...placesIn(json, fields, [], '', []), newMaximum: noMaximum(json) }
}

/** @param tasks plural name of the tasks, which begins the error message */
export function refuseStream(json: Json, stream: Node, tasks: string): void {
  if (flagAt(json, 'stream', stream))
    refuse('invalid_request', 'stream', `${tasks} do not stream. Omit the field stream.`)
}

export interface TaskText {
  readonly text: string
  /** Tokens that the client sent as numbers, and tokens that a template adds around each text. */
  readonly moreTokens: number
}

/** @throws always, because the parsers of these tasks reject a request for a stream */
export function openNoStream(): never {
  throw new Error('a response of this format does not stream')
}
