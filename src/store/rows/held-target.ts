/**
 * The column `target` of calls in flight. If the target generates the response in the background, the stored list also
 * has the response, after the values of the target. All other rows have only the target. The last value of a response
 * is the client's name for a request of a batch.
 */
import assert from 'node:assert/strict'
import type { BackgroundResponse } from '#domain/background/background-response.ts'
import { targetFromText, targetToText } from './json-columns.ts'

export interface HeldTarget {
  /** The target alone, in the form of all other rows. */
  readonly targetText: string
  /** Null if the response is not generated in the background. */
  readonly background: BackgroundResponse | null
}

export function heldTargetToText({ background, targetText }: HeldTarget): string {
  if (background === null) return targetText
  const { customId, deadlineMs, firstByteMs, id, isStreamed, trace } = background
  const values = [id, isStreamed ? 1 : 0, deadlineMs, firstByteMs, trace]
  const stored = JSON.stringify(customId === undefined ? values : [...values, customId])
  return `${targetText.slice(0, -1)},${stored}]`
}

export function heldTargetFromText(text: string): HeldTarget {
  // Only a list in the list has a second closing bracket at the end.
  if (!text.endsWith(']]')) return { targetText: text, background: null }
  const stored: unknown = JSON.parse(text)
  assert(Array.isArray(stored) && Array.isArray(stored[3]), 'a target is followed by a response')
  const [id, isStreamed, deadlineMs, firstByteMs, trace, customId]: unknown[] = stored[3]
  assert(typeof id === 'string' && typeof deadlineMs === 'number' && typeof trace === 'string')
  const background = {
    id,
    isStreamed: isStreamed === 1,
    deadlineMs,
    firstByteMs: typeof firstByteMs === 'number' ? firstByteMs : null,
    trace,
    ...(typeof customId === 'string' && { customId }),
  }
  return { targetText: targetToText(targetFromText(text)), background }
}
