// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type { StreamCall } from '../stream.ts'
import type * as types from './types.ts'

/** Of usage: show usage by model name. */
export interface UsageInput {
  /**
   * External ID of an end user, or their ID, `eu_…`. A deleted end user is found by ID only. Omit for all
   * end users. 1 to 256 characters.
   */
  endUserId?: string | undefined
  /** First day, or a time in it. Omit to start with the first usage. ISO 8601. */
  from?: string | Date | undefined
  /** End of the range, exclusive: a day (UTC) or a time. Omit for no end. ISO 8601. */
  to?: string | Date | undefined
}

/** What usage answers. */
export interface UsageOutput {
  /** Usage by model name, in alphabetical order. */
  rows: {
    /** The requested model name. */
    requestedModel: string
    /** Number of settled requests. */
    calls: number
    /** Input tokens. */
    inputTokens: number
    /** Output tokens. */
    outputTokens: number
    /**
     * Billed amount, in micros, less refunds in the range. Negative if refunds of earlier requests exceed
     * it. An integer as a decimal string.
     */
    billedMicros: string
    /**
     * Usage above the hold, in micros. It is neither charged nor billed, and the application bears its
     * cost. An integer as a decimal string.
     */
    overHoldMicros: string
  }[]
  /** Totals of all rows. */
  totals: types.UsageTotals
}

/** Of usage.export: export usage records. */
export interface UsageExportInput {
  /**
   * Start of the range, inclusive: a day (UTC) or a time of settlement. Omit to start with the first
   * record. ISO 8601.
   */
  from?: string | Date | undefined
  /**
   * End of the range, exclusive: a day (UTC) or a time of settlement. Defaults to two minutes ago, and a
   * later time is reduced to that. The header `x-export-to` returns the applied time. ISO 8601.
   */
  to?: string | Date | undefined
  /**
   * External ID of an end user, or their ID, `eu_…`. Returns only records of this end user. A deleted end
   * user is found by ID only. 1 to 256 characters.
   */
  endUserId?: string | undefined
  /**
   * `ndjson`: one JSON object per line. `csv`: RFC 4180 with a header line, in UTF-8. Defaults to `ndjson`.
   * `ndjson` when left out.
   */
  format?: 'ndjson' | 'csv' | undefined
  /**
   * `usage`: all stored fields of a request. `focus`: the columns of FOCUS 1.2. Defaults to `usage`.
   * `usage` when left out.
   */
  columns?: 'usage' | 'focus' | undefined
  /**
   * Continues after a row: its `id` or `x_UsageRecordId`, `ur_…` or `cor_…`. Requires `to`. CSV then has no
   * header line. 1 to 64 characters.
   */
  after?: string | undefined
}

/** What usage.export answers. */
export type UsageExportOutput = types.UsageRow | types.FocusRow

/** Of usage.series: show usage over time. */
export interface UsageSeriesInput {
  /**
   * Start of the range, or a time in its first bucket. Defaults to seven days before the end. ISO 8601.
   */
  from?: string | Date | undefined
  /** End of the range, exclusive. Defaults to now. ISO 8601. */
  to?: string | Date | undefined
  /**
   * Length of each bucket. Defaults to `minute` for ranges up to two hours, `hour` up to three days, and
   * `day` otherwise. By end user and by key, defaults to `day`.
   */
  bucket?: 'minute' | 'hour' | 'day' | undefined
  /** Property to group by. Omit for no groups. */
  by?: 'model' | 'provider' | 'bundle' | 'endUser' | 'key' | undefined
  /** Maximum number of groups. All other groups are added up in `other`. Defaults to 7. From 1 to 20. */
  top?: number | undefined
  /**
   * Figure by which the groups are selected and ordered. Defaults to `chargeMicros`. `chargeMicros` when
   * left out.
   */
  order?: 'chargeMicros' | 'billedMicros' | 'costMicros' | 'calls' | undefined
  /**
   * Whether to return latency percentiles. Requires a range of at most 31 days, and is not available by end
   * user and by key. Defaults to false.
   */
  latency?: boolean | undefined
  /** Requested model name. Returns only requests for this name. 1 to 128 characters. */
  model?: string | undefined
  /**
   * Label of a provider account, or its ID, `pa_…`. Returns only requests that this account served, and the
   * cost of its failed attempts. 1 to 64 characters.
   */
  provider?: string | undefined
  /** Slug of a bundle. Returns only requests that were charged under this bundle. 1 to 64 characters. */
  bundle?: string | undefined
  /**
   * External ID of an end user, or their ID, `eu_…`. Returns only charged requests of this end user, by
   * day. A deleted end user is found by ID only. 1 to 256 characters.
   */
  endUserId?: string | undefined
  /**
   * ID of a key, `key_…`. Returns only charged requests made with this key, by day. 1 to 64 characters.
   */
  keyId?: string | undefined
}

/** Usage by model name and over time. */
export interface Usage {
  /**
   * Show usage by model name. Returns usage in the mode of the request, by requested model name, for one
   * end user or for all. Usage is summed per day (UTC), so a time within a day includes the whole day.
   *
   * GET /v1/usage
   * @throws ApiError not_found
   */
  (input?: UsageInput, options?: CallOptions): Call<UsageOutput>

  /**
   * Export usage records. Streams the usage records of the application and mode that settled in a time
   * range. The corrections in that range follow the records. Amounts are exact.
   *
   * - Records are not ordered by time. Consecutive ranges contain every record once, because requests that
   * settle during an export settle after `to`. The guide docs/guides/exports-and-tail.md describes the
   * exception after a long outage of the store.
   * - To continue an interrupted export, repeat the query with `to` from the header `x-export-to`, and with
   * `after` set to the last complete row.
   * - In CSV, text that begins with `=`, `+`, `-`, `@` or an apostrophe gets a leading apostrophe, so that
   * spreadsheets do not run it. Remove this apostrophe to read the text.
   *
   * GET /v1/usage/export (an extension)
   * @throws ApiError not_found
   */
  export(input?: UsageExportInput, options?: CallOptions): StreamCall<UsageExportOutput>

  /**
   * Show usage over time. Returns totals of the requests that ended in each minute, hour or day (UTC), in
   * the mode of the request: overall, and for the largest groups. `groups` and `other` add up to `all`
   * exactly.
   *
   * - The range is widened to whole buckets. A response has at most 360 minutes, 336 hours or 400 days.
   * - Minutes are computed from requests, and hours from hourly sums and the requests since the last full
   * hour.
   * - Days without a group and by model have the same amounts as `margin` and `usage`, including requests
   * that ended late.
   * - Days by end user and by key are computed from daily sums of charged requests.
   * - By provider, the cost of a failed attempt counts for the account that made the attempt.
   *
   * GET /v1/usage/series (an extension)
   * @throws ApiError not_found
   */
  series(input?: UsageSeriesInput, options?: CallOptions): Call<types.UsageSeries>
}

export function makeUsage(sender: Sender): Usage {
  const itself = (input?: UsageInput, options?: CallOptions): Call<UsageOutput> =>
    sender.call(
      { id: 'usage', method: 'GET', path: '/v1/usage', query: ['endUserId', 'from', 'to'] },
      input,
      options,
    )
  return Object.assign(itself, {
    export: (input?: UsageExportInput, options?: CallOptions): StreamCall<UsageExportOutput> =>
      sender.lines(
        { id: 'usage.export', method: 'GET', path: '/v1/usage/export', query: ['from', 'to', 'endUserId', 'format', 'columns', 'after'] },
        input,
        options,
      ),
    series: (input?: UsageSeriesInput, options?: CallOptions): Call<types.UsageSeries> =>
      sender.call(
        { id: 'usage.series', method: 'GET', path: '/v1/usage/series', query: ['from', 'to', 'bucket', 'by', 'top', 'order', 'latency', 'model', 'provider', 'bundle', 'endUserId', 'keyId'] },
        input,
        options,
      ),
  })
}
