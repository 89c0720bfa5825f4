import type { IncomingHttpHeaders } from 'node:http'
import type { WireRequest } from '#wire/wire-request.ts'

/** In a chat stream, the usage chunk contains the report. */
export function withRequestedReport(request: WireRequest, headers: IncomingHttpHeaders): WireRequest {
  if (!request.wantsReport && headers['x-svc-report'] !== '1') return request
  return { ...request, wantsReport: true, wantsUsage: true }
}
