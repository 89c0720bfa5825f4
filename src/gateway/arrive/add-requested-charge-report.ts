import type { IncomingHttpHeaders } from 'node:http'
import type { WireRequest } from '#wire/wire-request.ts'

/**
 * Returns the request, marked if its header or body requests a report of the call. A chat stream with a report has a
 * usage chunk, because this chunk contains the report.
 */
export function withRequestedReport(request: WireRequest, headers: IncomingHttpHeaders): WireRequest {
  if (!request.wantsReport && headers['x-svc-report'] !== '1') return request
  return { ...request, wantsReport: true, wantsUsage: true }
}
