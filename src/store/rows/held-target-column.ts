/**
 * The column `target` of calls in flight: a list with the values of the target. For a background response, the last
 * item is a list with the values of the response. For a request of a batch, that list ends with the client's name for
 * the request, and the request's wire.
 */
import assert from 'node:assert/strict'
import { upstreamFormats, type UpstreamFormat } from '#domain/accounts/provider-kinds.ts'
import type { BackgroundResponse } from '#domain/background/background-response-record.ts'
import { targetFromText, targetToText } from './json-columns.ts'

export interface HeldTarget {
  /** The stored form of the target without the background response. Other tables use the same form. */
  readonly targetText: string
  /** Null if the response is not generated in the background. */
  readonly background: BackgroundResponse | null
}

export function heldTargetToText({ background, targetText }: HeldTarget): string {
  if (background === null) return targetText
  const { batched, deadlineMs, firstByteMs, id, isStreamed, trace } = background
  const values = [id, isStreamed ? 1 : 0, deadlineMs, firstByteMs, trace]
  const stored = JSON.stringify(batched === undefined ? values : [...values, batched.customId, batched.wire])
  return `${targetText.slice(0, -1)},${stored}]`
}

export function heldTargetFromText(text: string): HeldTarget {
  // Two closing brackets at the end mean that the last item is a list.
  if (!text.endsWith(']]')) return { targetText: text, background: null }
  const stored: unknown = JSON.parse(text)
  assert(Array.isArray(stored) && Array.isArray(stored[3]), 'a target is followed by a response')
  const [id, isStreamed, deadlineMs, firstByteMs, trace, customId, wire]: unknown[] = stored[3]
  assert(typeof id === 'string' && typeof deadlineMs === 'number' && typeof trace === 'string')
  const background = {
    id,
    isStreamed: isStreamed === 1,
    deadlineMs,
    firstByteMs: typeof firstByteMs === 'number' ? firstByteMs : null,
    trace,
    ...(typeof customId === 'string' && { batched: { customId, wire: wireFrom(wire) } }),
  }
  return { targetText: targetToText(targetFromText(text)), background }
}

function wireFrom(wire: unknown): UpstreamFormat {
  const found = upstreamFormats.find((format) => format === wire)
  assert(found !== undefined, 'the wire of a request in a batch is known')
  return found
}
