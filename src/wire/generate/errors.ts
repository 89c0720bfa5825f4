import type { WireError } from '#wire/content-of-an-error.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { listOf } from '#wire/text/json-values.ts'

/**
 * Writes errors in Google's format (docs/reference/wires.md "Errors on the generate wire"). `code` must be an HTTP
 * status from 400 to 599. If `code` is a text, the official client yields an empty chunk, and the request seems to
 * succeed (docs/reference/wires.md "Errors in a stream"). The reason in ErrorInfo is therefore the gateway's own error
 * code.
 */
export function generateErrorBody(error: WireError, requestId: string): ByteText {
  return byteTextOf(JSON.stringify({ error: errorOf(error, error.message, requestId) }))
}

/** Some clients keep only the message of an error, so the message includes the code. */
export function generateErrorFrame(error: WireError, requestId: string): ByteText {
  const { code, message } = error
  const told = message.startsWith(code) ? message : `${code}: ${message}`
  return byteTextOf(JSON.stringify({ error: errorOf(error, told, requestId) }))
}

function errorOf(error: WireError, message: string, requestId: string): object {
  const { retryAfterSeconds } = error.details
  const { own } = error
  if (own) {
    return {
      ...own,
      code: error.status,
      message: error.message,
      status: own.status ?? statusOf(error.status),
      details: [...listOf(own.details), { '@type': `${types}RequestInfo`, requestId }],
    }
  }
  return {
    code: error.status,
    message,
    status: statusOf(error.status),
    details: [
      {
        '@type': `${types}ErrorInfo`,
        reason: error.code,
        domain: 'tollgate',
        metadata: metadataOf(error),
      },
      ...(error.param === null
        ? []
        : [
            {
              '@type': `${types}BadRequest`,
              fieldViolations: [{ field: error.param, description: error.message }],
            },
          ]),
      ...quotaFailure(error),
      ...(typeof retryAfterSeconds === 'number'
        ? [{ '@type': `${types}RetryInfo`, retryDelay: delayText(error, retryAfterSeconds) }]
        : []),
      { '@type': `${types}RequestInfo`, requestId },
    ],
  }
}

const types = 'type.googleapis.com/google.rpc.'

function delayText({ details: { retryAfterMs } }: WireError, seconds: number): string {
  return typeof retryAfterMs === 'number' ? `${retryAfterMs / 1000}s` : `${seconds}s`
}

/**
 * Describes a rate limit in the format google.rpc.QuotaFailure. Clients recognize a daily limit by the window's name in
 * `quotaId`, and then do not wait for the limit to clear.
 */
function quotaFailure({ details, message }: WireError): readonly object[] {
  const { limit, limitSource, measure, window } = details
  if (typeof measure !== 'string') return []
  const name = measure === 'calls' ? 'ConcurrentRequests' : `${measure[0]?.toUpperCase()}${measure.slice(1)}`
  const span = spans[String(window)] ?? ''
  const violation = {
    quotaMetric: `tollgate/${measure}`,
    quotaId: `${name}${span}${ownerOf(limitSource)}`,
    // The value may be absent, because a limit of the application is not shown to end users.
    ...(typeof limit === 'string' && { quotaValue: limit }),
    description: message,
  }
  return [{ '@type': `${types}QuotaFailure`, violations: [violation] }]
}

function ownerOf(limitSource: unknown): string {
  return owners[String(limitSource)] ?? 'PerEndUser'
}

const owners: Readonly<Record<string, string>> = {
  application_limit: 'PerApplication',
  tag_limit: 'PerTag',
  team_limit: 'PerTeam',
}

const spans: Readonly<Record<string, string>> = {
  minute: 'PerMinute',
  hour: 'PerHour',
  '5h': 'PerFiveHours',
  day: 'PerDay',
  week: 'PerWeek',
  month: 'PerMonth',
}

/** Maps texts to texts, as in google.rpc.ErrorInfo, because typed clients read no other form. */
function metadataOf({ reason, param, details }: WireError): Record<string, string> {
  const metadata: Record<string, string> = {}
  if (reason !== undefined) metadata.reason = reason
  if (param !== null) metadata.param = param
  for (const [name, value] of Object.entries(details)) if (value !== null) metadata[name] = String(value)
  return metadata
}

/** google.rpc.Code by HTTP status. */
const statuses: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  402: 'RESOURCE_EXHAUSTED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  410: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
  529: 'UNAVAILABLE',
}

function statusOf(status: number): string {
  return statuses[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT')
}
