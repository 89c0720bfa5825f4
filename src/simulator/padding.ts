import { randomFrom } from './scripted-answer.ts'
import { objectOf } from './loose-json.ts'
import type { Said } from './vendor.ts'

/**
 * OpenAI's `obfuscation`: a text of another length on each event, so that the length of an event does not tell
 * the length of its token. There by default, and gone with `stream_options.include_obfuscation: false`.
 * @returns the padding of the next event at each call; null where the client wants no padding
 */
export function paddingFor({ request, callId }: Said): (() => string) | null {
  if (objectOf(request.body['stream_options'])['include_obfuscation'] === false) return null
  const random = randomFrom(`${callId}:padding`)
  const pick = (most: number): number => Math.floor(random() * most)
  return () => Array.from({ length: 1 + pick(lengthMax) }, () => letters[pick(letters.length)]).join('')
}

/** As in recorded streams. */
const lengthMax = 16
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
