import type { IncomingHttpHeaders } from 'node:http'
import type { WireRequest } from '#wire/wire-request.ts'

/** The usage chunk of a chat stream contains the report, so the stream must have this chunk. */
export function withRequestedReport(request: WireRequest, headers: IncomingHttpHeaders): WireRequest {
  if (!request.wantsReport && headers['x-svc-report'] !== '1') return request
  return { ...request, wantsReport: true, wantsUsage: true }
}
