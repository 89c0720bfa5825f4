/** The exports of the package: the client, its errors and helper functions. */
export { Tollgate } from './tollgate.ts'
export { clientsFor, type ClientsFor } from './clients.ts'
export * from './errors.ts'
export { dollars, formatMicros } from './money.ts'
export { verifyWebhook, type UsageRecorded, type WebhookBatch, type WebhookOptions } from './webhook.ts'
export { version } from './version.ts'
export type { Call, WithResponse } from './call.ts'
export type { Page, PageCall } from './page.ts'
export type { StreamCall, Streamed } from './stream.ts'
export type {
  CallOptions,
  ClientOptions,
  Clock,
  ConditionalOptions,
  Mode,
  StreamOptions,
} from './settings.ts'
export type { ErrorCode } from './generated/error-code.ts'
export type * from './generated/operations.ts'
export type * as types from './generated/types.ts'
