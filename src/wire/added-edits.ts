import type { Edit } from '#wire/text/splice.ts'
import type { WireRequest } from './wire-request.ts'

/** Returns the places of a request with additional edits, which apply at every provider. */
export function placesWith(places: WireRequest['places'], edits: readonly Edit[]): WireRequest['places'] {
  const { always, alwaysAtOpenai } = places
  return {
    ...places,
    always: [...always, ...edits],
    ...(alwaysAtOpenai && { alwaysAtOpenai: [...alwaysAtOpenai, ...edits] }),
  }
}
