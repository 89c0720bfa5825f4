/**
 * Request heads and bodies that arrive too slowly are cut off (docs/reference/threats.md "Slow clients"). On a slow
 * connection, a body of 32 MB may take up to five minutes.
 */
export const connectionTimes = {
  headersTimeout: 10_000,
  requestTimeout: 300_000,
  keepAliveTimeout: 65_000,
} as const
export const headLimits = { bytesMax: 16 * 1024, fieldsMax: 100 } as const
export const checkIntervalMs = 5_000
