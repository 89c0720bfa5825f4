/**
 * W3C Trace Context: the trace of the caller, from the header `traceparent` (docs/reference/telemetry.md "Trace
 * context").
 */

export interface TraceParent {
  readonly traceId: string
  /** ID of the caller's span, as 16 hexadecimal digits. */
  readonly spanId: string
  /** The flags, with 8 bits. The lowest bit of the flags means that the caller has recorded the span. */
  readonly flags: number
}

const pattern =
  /^(?!ff)[0-9a-f]{2}-(?<traceId>[0-9a-f]{32})-(?<spanId>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?<rest>-.*)?$/

/** A call with an invalid header begins a new trace. */
export function traceParentOf(header: string): TraceParent | null {
  if (header.length > lengthMax) return null
  const { flags = '', rest, spanId = '', traceId = '' } = pattern.exec(header)?.groups ?? {}
  // A header of version 00 has four parts. A header of a later version may have more parts, which are ignored.
  if (rest !== undefined && header.startsWith('00')) return null
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return null
  return { traceId, spanId, flags: Number.parseInt(flags, 16) }
}

/** Longer than the headers of all versions in use. */
const lengthMax = 256
