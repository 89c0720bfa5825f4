import { randomFrom } from './write-answer-by-directives.ts'
import { objectOf } from './read-json-loosely.ts'
import type { Said } from './wire-simulator-interface.ts'

/**
 * OpenAI's field `obfuscation`: a text of random length in each event, which hides the length of the event's token. The
 * field is sent by default, and `stream_options.include_obfuscation: false` turns the field off.
 * @returns a function that returns the padding of the next event; null if the client turned padding off
 */
export function paddingFor({ request, callId }: Said): (() => string) | null {
  if (objectOf(request.body['stream_options'])['include_obfuscation'] === false) return null
  const random = randomFrom(`${callId}:padding`)
  const pick = (most: number): number => Math.floor(random() * most)
  return () => Array.from({ length: 1 + pick(lengthMax) }, () => letters[pick(letters.length)]).join('')
}

/** Maximum length of the padding, as observed in recorded streams. */
const lengthMax = 16
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
