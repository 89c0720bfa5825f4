import { randomFrom } from './write-answer-by-directives.ts'
import { objectOf } from './read-values-of-any-shape.ts'
import type { Said } from './wire-simulator-interface.ts'

/**
 * OpenAI's field `obfuscation` has a random length, which hides the length of the event's token.
 * @returns null if the client turned padding off with `stream_options.include_obfuscation: false`
 */
export function paddingFor({ request, callId }: Said): (() => string) | null {
  if (objectOf(request.body['stream_options'])['include_obfuscation'] === false) return null
  const random = randomFrom(`${callId}:padding`)
  const pick = (most: number): number => Math.floor(random() * most)
  return () => Array.from({ length: 1 + pick(lengthMax) }, () => letters[pick(letters.length)]).join('')
}

/** The longest padding in recorded streams. */
const lengthMax = 16
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
