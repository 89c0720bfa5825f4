import type { IncomingHttpHeaders } from 'node:http'
import type { WireRequest } from '#wire/wire-request.ts'

/**
 * Returns the request with the report that its header or body requests. The stream of a chat then has its usage chunk,
 * which contains the report.
 */
export function withReportWish(request: WireRequest, headers: IncomingHttpHeaders): WireRequest {
  if (!request.wantsReport && headers['x-svc-report'] !== '1') return request
  return { ...request, wantsReport: true, wantsUsage: true }
}
