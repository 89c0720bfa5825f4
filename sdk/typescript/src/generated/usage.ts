// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type { StreamCall } from '../stream.ts'
import type * as types from './types.ts'

/** Of usage: show usage by model name. */
export interface UsageInput {
  /**
   * External id of one person, or the id `eu_…` of a removed one; left out: everyone. 1 to 256 characters.
   */
  endUserId?: string | undefined
  /** The first day, or a time in it. ISO 8601. */
  from?: string | Date | undefined
  /** The end, not included. ISO 8601. */
  to?: string | Date | undefined
}

/** What usage answers. */
export interface UsageOutput {
  /** By model name, in name order. */
  rows: {
    /** The requested model name. */
    requestedModel: string
    /** Settled calls. */
    calls: number
    /** Tokens in. */
    inputTokens: number
    /** Tokens out. */
    outputTokens: number
    /**
     * Amount billed, in micros, less refunds made in the range. Negative if refunds of earlier requests
     * exceed it. An integer as a decimal string.
     */
    billedMicros: string
    /**
     * What was used beyond what was held for them: neither charged nor billed, the cost of the application.
     * An integer as a decimal string.
     */
    overHoldMicros: string
  }[]
  /** All rows together. */
  totals: types.UsageTotals
}

/** Of usage.export: export usage records. */
export interface UsageExportInput {
  /**
   * Only what settled on that day (UTC) or time, or later; left out: from the first record on. ISO 8601.
   */
  from?: string | Date | undefined
  /**
   * Only what settled before that day (UTC) or time; left out, or later than two minutes ago: two minutes
   * ago. The header `x-export-to` says which time was taken. ISO 8601.
   */
  to?: string | Date | undefined
  /**
   * External id, or the id `eu_…` of a removed person: only records of that person. 1 to 256 characters.
   */
  endUserId?: string | undefined
  /** `ndjson`: a JSON object a line; `csv`: RFC 4180 with a header line, UTF-8. `ndjson` when left out. */
  format?: 'ndjson' | 'csv' | undefined
  /** `usage`: all that is kept of a call; `focus`: the columns of FOCUS 1.2. `usage` when left out. */
  columns?: 'usage' | 'focus' | undefined
  /**
   * Goes on after a row: its `id`, or `x_UsageRecordId`, `ur_…` or `cor_…`. Needs `to`. CSV then comes
   * without a header line. 1 to 64 characters.
   */
  after?: string | undefined
}

/** What usage.export answers. */
export type UsageExportOutput = types.UsageRow | types.FocusRow

/** Of usage.series: show usage over time. */
export interface UsageSeriesInput {
  /** The beginning, or a time in the first bucket; left out: seven days before the end. ISO 8601. */
  from?: string | Date | undefined
  /** The end, not included; left out: now. ISO 8601. */
  to?: string | Date | undefined
  /**
   * Left out: minutes of up to two hours, hours of up to three days, else days; days where only those are
   * known.
   */
  bucket?: 'minute' | 'hour' | 'day' | undefined
  /** What the groups are; left out: there are none. */
  by?: 'model' | 'provider' | 'bundle' | 'endUser' | 'key' | undefined
  /** Maximum number of groups; all others are added up as `other`. Defaults to 7. From 1 to 20. */
  top?: number | undefined
  /** By which figure of the range the groups are chosen and ordered. `chargeMicros` when left out. */
  order?: 'chargeMicros' | 'billedMicros' | 'costMicros' | 'calls' | undefined
  /**
   * `true`: `latency` has percentiles of each bucket; of a range of 31 days at most, not of people and
   * keys.
   */
  latency?: boolean | undefined
  /** Only calls that asked for that name. 1 to 128 characters. */
  model?: string | undefined
  /**
   * Label of a provider account, or its ID, `pa_…`: only calls that it answered, and the cost of its failed
   * attempts. 1 to 64 characters.
   */
  provider?: string | undefined
  /** Slug: only calls that were charged by that bundle. 1 to 64 characters. */
  bundle?: string | undefined
  /**
   * External id, or the id `eu_…` of a removed person: only charged calls of that person, by day. 1 to 256
   * characters.
   */
  endUserId?: string | undefined
  /** Id of a key, `key_…`: only charged calls with it, by day. 1 to 64 characters. */
  keyId?: string | undefined
}

/** What was used, by model name. */
export interface Usage {
  /**
   * Show usage by model name. What was used in the mode of the request, by the name that was asked for; of
   * one person or of all. Sums are kept per day (UTC): a time within a day takes the whole day.
   *
   * GET /v1/usage
   * @throws ApiError not_found
   */
  (input?: UsageInput, options?: CallOptions): Call<UsageOutput>

  /**
   * Export usage records. Streams every usage record of the application and mode that settled in a span of
   * time, one row each, in the order of an index and not of time, and then a row for each correction made
   * in it. A span is over when it is exported: what settles meanwhile settles after `to`, so spans that
   * follow each other have every record once (docs/guides/exports-and-tail.md says what a store that was
   * away for longer changes). Amounts are exact. An answer that was cut off ends without the last chunk of
   * its body: go on with the same query, with `to` as the header `x-export-to` had it, and `after` naming
   * the last row that arrived whole. In CSV a text that begins with `=`, `+`, `-`, `@` or an apostrophe has
   * an apostrophe before it, so that no spreadsheet runs it: drop one to read it.
   *
   * GET /v1/usage/export (an extension)
   * @throws ApiError not_found
   */
  export(input?: UsageExportInput, options?: CallOptions): StreamCall<UsageExportOutput>

  /**
   * Show usage over time. What calls of the mode add up to that ended in each minute, hour or day (UTC),
   * together and by name, provider account, bundle, end user or key: those with the most, and all others as
   * one. The groups and `other` add up to `all`, to the micro. The range is widened to whole buckets; an
   * answer has 360 minutes, 336 hours or 400 days at most. Hours are read from sums per hour and the calls
   * since the last full hour, minutes from the calls. Days without a group and by name have the money of
   * `margin` and `usage`, including calls that ended late. By provider, the cost of a failed attempt counts
   * with the account that made it. Days by end user and key are read from sums per day of charged calls.
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
