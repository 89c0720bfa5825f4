import { keyBefore, startOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { removals } from '#wire/text/removal-edits.ts'
import type { Edit } from '#wire/text/apply-edits.ts'
import { spanOf, type Fields, type Places, type WireRequest } from './wire-request.ts'

/** The edits apply at every provider. */
export function placesWith(places: WireRequest['places'], edits: readonly Edit[]): WireRequest['places'] {
  const { always, alwaysWithoutThoughts } = places
  return {
    ...places,
    always: [...always, ...edits],
    ...(alwaysWithoutThoughts && { alwaysWithoutThoughts: [...alwaysWithoutThoughts, ...edits] }),
  }
}

/** The model, `svc` and the maximum must be top-level fields. */
export function placesIn(
  json: Json,
  { model, svc }: Fields<'model' | 'svc'>,
  maxima: readonly Node[],
  newMaximum: string,
  edits: readonly Edit[],
): Places {
  return {
    model: spanOf(json, model),
    maxima: maxima.filter((node) => node >= 0).map((node) => spanOf(json, node)),
    newMaximum: { at: startOf(json, 0) + 1, before: `"${newMaximum}":`, after: ',' },
    always: svc < 0 ? edits : [...edits, ...removals(json, 0, [keyBefore(svc)])],
  }
}
