import * as z from 'zod'
import type { Position } from '#domain/list-page.ts'
import { directions, isTextSort, placeOfPosition, type SortedPage } from '#domain/list-sorting-and-filters.ts'
import { type Refused, refused } from './returned-error.ts'

export function sortQuery<const By extends readonly ['created', ...string[]]>(
  sorts: By,
  description: string,
) {
  return {
    sort: z.enum(sorts).default('created').meta({ description }),
    direction: z.enum(directions).optional().meta({
      description:
        'Sort direction. Defaults to `asc` for `name` and to `desc` for other orders. Rows with equal values are sorted by ID.',
    }),
  }
}

/** Rejects a cursor of a list in another order. */
export function sortedPageOf<By extends string>({
  cursor,
  direction,
  limit,
  sort,
}: {
  readonly sort: By
  readonly direction?: (typeof directions)[number] | undefined
  readonly limit: number
  readonly cursor?: Position | undefined
}): SortedPage<By> | Refused<'invalid_request'> {
  const page = { limit, after: cursor ?? null }
  const sorting = { by: sort, direction: direction ?? (isTextSort(sort) ? 'asc' : 'desc') }
  const isNewestFirst = sorting.by === 'created' && sorting.direction === 'desc'
  // In the cursor of a list in another order, `cursor.id` contains a space, which no ID contains.
  const isForeign =
    cursor !== undefined &&
    (isNewestFirst ? cursor.id.includes(' ') : placeOfPosition(sorting, cursor) === null)
  if (isForeign) {
    const reason =
      'The cursor belongs to a list with another sort order. Send the request again without a cursor.'
    return refused('invalid_request', { reason }, 'cursor')
  }
  return isNewestFirst ? page : { ...page, sorting }
}
