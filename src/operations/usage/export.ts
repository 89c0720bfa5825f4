import * as z from 'zod'
import { suffixOf } from '#domain/ids-sorted-by-time.ts'
import type { RecordPlace, SettledSpan, UsageRecords } from '#domain/reports/usage-records-interface.ts'
import type { AnswerStream } from '#operations/kernel/response-stream.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { streamOperation } from '#operations/kernel/declare-operation.ts'
import { findIfNamed, ownEndUserOrRemoved } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { callLabels } from '#operations/requests/shared/request-view.ts'
import { ExternalId, Moment, text } from '#operations/kernel/value-and-page-schemas.ts'
import { focusColumns } from '#operations/usage/export-rows/focus-columns.ts'
import {
  csv,
  ndjson,
  rowSchema,
  type Column,
  type RowContext,
  type RowFormat,
} from '#operations/usage/export-rows/ndjson-and-csv-rows.ts'
import { usageColumns } from '#operations/usage/export-rows/usage-record-columns.ts'

/**
 * Maximum time until the record of an ended request is stored. All records of a time range that ended longer ago are
 * complete. store/call-sums-by-hour.ts also relies on this.
 */
const settlesWithinMs = 120_000

const columnSets = { usage: usageColumns, focus: focusColumns } as const
const formats = { ndjson, csv } as const

const UsageRow = rowSchema(usageColumns, 'UsageRow', 'A usage record.')
const FocusRow = rowSchema(focusColumns, 'FocusRow', 'A usage record in columns of FOCUS 1.2.')
const item = z.union([UsageRow, FocusRow])

export default streamOperation({
  id: 'usage.export',
  path: '/v1/usage/export',
  scope: 'application',
  leastRole: 'developer',
  isExtension: true,
  summary: 'Export usage records',
  description:
    'Streams the usage records of requests that settled in a time range, for one application and mode. The corrections in that range follow the records. Amounts are exact.\n\n- Records are not ordered by time. Consecutive ranges contain every record exactly once. If a request settles during an export, its time of settlement is later than the `to` of this export. Exception: if the store was unavailable for over two minutes, records that are written afterward can belong to a range that was already exported (docs/guides/exports-and-tail.md).\n- To continue an interrupted export, repeat the query with `to` from the header `x-export-to`, and with `after` set to the last complete row.\n- In CSV, text that begins with `=`, `+`, `-`, `@` or an apostrophe gets a leading apostrophe, so that spreadsheets do not run the text as a formula. Programs that read the file must remove this apostrophe.',
  query: {
    from: Moment.optional().meta({
      description:
        'Start of the range, inclusive: a day (UTC) or a time of settlement. Omit to start with the first record.',
    }),
    to: Moment.optional().meta({
      description:
        'End of the range, exclusive: a day (UTC) or a time of settlement. Defaults to two minutes ago. If `to` is later, the default is used. The header `x-export-to` returns the applied time.',
    }),
    endUserId: ExternalId.optional().meta({
      description:
        'External ID of an end user, or their ID, `eu_…`. Returns only records of this end user. A deleted end user is found by ID only.',
    }),
    format: z.enum(['ndjson', 'csv']).default('ndjson').meta({
      description:
        '`ndjson`: one JSON object per line. `csv`: RFC 4180 with a header line, in UTF-8. Defaults to `ndjson`.',
    }),
    columns: z.enum(['usage', 'focus']).default('usage').meta({
      description:
        '`usage`: all stored fields of a request. `focus`: the columns of FOCUS 1.2. Defaults to `usage`.',
    }),
    after: text(64).optional().meta({
      description:
        'ID of the row after which the export continues, `ur_…` or `cor_…`. This ID is in the field `id` of a row, or in the column `x_UsageRecordId` of FOCUS. Requires `to`. Omit to start at the beginning of the range. A continued CSV export has no header line.',
    }),
  },
  errors: ['not_found'],
  streams: [
    { mediaType: 'application/x-ndjson', description: 'Each line is a JSON object.', item },
    { mediaType: 'text/csv', description: 'A header line, then one line per row (RFC 4180).', item },
  ],
  async open({ after, columns, endUserId, format, from = 0, to }, context) {
    const { application, mode, store } = context
    const endUser = await findIfNamed(ownEndUserOrRemoved, endUserId, context, 'endUserId')
    if (endUser instanceof Refused) return endUser
    const placeAfter = async (row: string): Promise<RecordPlace | null> => {
      if (suffixOf('cor', row) !== null)
        return store.usageRecords.placeOfCorrection(application.id, mode, row)
      const callId = suffixOf('ur', row)
      return callId === null ? null : store.usageRecords.placeOf(application.id, mode, callId)
    }
    const overMs = modeTime(context) - settlesWithinMs
    if (to !== undefined && to <= from)
      return refused('invalid_request', { reason: 'to must be later than from.' }, 'to')
    if (after !== undefined && (to === undefined || to > overMs)) {
      const reason = 'to must be the value of the header x-export-to of the interrupted response.'
      return refused('invalid_request', { reason }, 'to')
    }
    const place = after === undefined ? null : await placeAfter(after)
    if (after !== undefined && place === null)
      return refused('not_found', { resource: 'usage record', id: after }, 'after')
    const toMs = Math.max(from, Math.min(to ?? overMs, overMs))
    const span: SettledSpan = {
      applicationId: application.id,
      mode,
      endUserId: endUser?.id ?? null,
      fromMs: from,
      toMs,
    }
    const row: RowContext = { applicationSlug: application.slug, mode, labels: await callLabels(context) }
    const written = { format: formats[format], columns: columnSets[columns], row }
    const name = `${application.slug}-${mode}-${columns}.${format}`
    return {
      mediaType: written.format.mediaType,
      headers: {
        'x-export-to': new Date(toMs).toISOString(),
        'content-disposition': `attachment; filename="${name}"`,
      },
      pieces: (ending) => rowsAfter(store.usageRecords, span, place, written, ending),
    } satisfies AnswerStream
  },
})

async function* rowsAfter(
  records: UsageRecords,
  span: SettledSpan,
  place: RecordPlace | null,
  {
    columns,
    format,
    row,
  }: { readonly columns: readonly Column[]; readonly format: RowFormat; readonly row: RowContext },
  ending: AbortSignal,
): AsyncGenerator<string, void, void> {
  if (place === null) yield format.head(columns)
  for (let after = place; ;) {
    const page = await records.settledIn(span, after)
    // Close the connection, because an incomplete export must not look complete.
    ending.throwIfAborted()
    if (page.records.length > 0) yield page.records.map((record) => format.row(columns, record, row)).join('')
    if (page.next === null) return
    after = page.next
  }
}
