import * as z from 'zod'
import { suffixOf } from '#domain/id.ts'
import type { RecordPlace, SettledSpan, UsageRecords } from '#domain/usage-records.ts'
import type { AnswerStream } from '#operations/answer-stream.ts'
import { modeTime } from '#operations/mode-time.ts'
import { streamOperation } from '#operations/operation.ts'
import { findIfNamed, ownEndUserOrRemoved } from '#operations/own.ts'
import { Refused, refused } from '#operations/refused.ts'
import { accountLabels } from '#operations/requests/request-view.ts'
import { ExternalId, Moment, text } from '#operations/schemas.ts'
import { focusColumns } from './focus-row.ts'
import { csv, ndjson, rowSchema, type Column, type RowContext, type RowFormat } from './row-format.ts'
import { usageColumns } from './usage-row.ts'

/**
 * A request settles well before this. A span that ended this long ago has all its records (store/call-fold.ts relies on
 * the same).
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
    'Streams every usage record of the application and mode that settled in a span of time, one row each, in the order of an index and not of time, and then a row for each correction made in it. A span is over when it is exported: what settles meanwhile settles after `to`, so spans that follow each other have every record once (docs/guides/exports-and-tail.md says what a store that was away for longer changes). Amounts are exact. An answer that was cut off ends without the last chunk of its body: go on with the same query, with `to` as the header `x-export-to` had it, and `after` naming the last row that arrived whole. In CSV a text that begins with `=`, `+`, `-`, `@` or an apostrophe has an apostrophe before it, so that no spreadsheet runs it: drop one to read it.',
  query: {
    from: Moment.optional().meta({
      description:
        'Only what settled on that day (UTC) or time, or later; left out: from the first record on.',
    }),
    to: Moment.optional().meta({
      description:
        'Only what settled before that day (UTC) or time; left out, or later than two minutes ago: two minutes ago. The header `x-export-to` says which time was taken.',
    }),
    endUserId: ExternalId.optional().meta({
      description: 'External id, or the id `eu_…` of a removed person: only records of that person.',
    }),
    format: z.enum(['ndjson', 'csv']).default('ndjson').meta({
      description: '`ndjson`: a JSON object a line; `csv`: RFC 4180 with a header line, UTF-8.',
    }),
    columns: z.enum(['usage', 'focus']).default('usage').meta({
      description: '`usage`: all that is kept of a call; `focus`: the columns of FOCUS 1.2.',
    }),
    after: text(64).optional().meta({
      description:
        'Goes on after a row: its `id`, or `x_UsageRecordId`, `ur_…` or `cor_…`. Needs `to`. CSV then comes without a header line.',
    }),
  },
  errors: ['not_found'],
  streams: [
    { mediaType: 'application/x-ndjson', description: 'A row of JSON a line.', item },
    { mediaType: 'text/csv', description: 'A header line, and a line for each row (RFC 4180).', item },
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
      const reason = 'to must be what the header x-export-to of the answer that was cut off says.'
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
    const row: RowContext = { applicationSlug: application.slug, mode, labels: await accountLabels(context) }
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
    // Break off the response, because a partial export must not look complete.
    ending.throwIfAborted()
    if (page.records.length > 0) yield page.records.map((record) => format.row(columns, record, row)).join('')
    if (page.next === null) return
    after = page.next
  }
}
