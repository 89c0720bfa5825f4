import type { ReactNode } from 'react'
import { AnswerError, ApiError, ConnectionError, TimeoutError } from '#sdk/errors.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'

/** Whether a change was rejected because the data had changed in the meantime. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 412
}

/** Whether an earlier request with the same idempotency key was saved, although its response may be lost. */
export function isSavedBefore(error: unknown): boolean {
  return (
    error instanceof ApiError && (error.code === 'secret_not_kept' || error.code === 'idempotency_mismatch')
  )
}

export function sentenceOf(error: unknown): string {
  if (isConflict(error))
    return 'Someone else has changed this data since you opened it. Your changes were not saved.'
  // The messages of the SDK about responses of a proxy are for programmers.
  if (error instanceof AnswerError) return "The server's response can't be read. Try again in a minute."
  // A repeated request was recognized, for example after its first response was lost.
  if (isSavedBefore(error))
    return "An earlier attempt was saved, but its response was lost. If it created a secret, the secret can't be shown again. Remove the entry that you don't need, then try again."
  if (error instanceof ApiError)
    return error.code === null
      ? `The server returned an error (HTTP ${error.status}). Try again in a minute.`
      : error.message
  if (error instanceof TimeoutError)
    return 'The server did not respond in time. The server may still have processed the request.'
  if (error instanceof ConnectionError)
    return "The server can't be reached. Check your connection, then try again."
  return error instanceof Error ? error.message : 'An unexpected error occurred on this page.'
}

/** The note stays until the error is resolved. */
export function FailureNote({
  error,
  onRetry,
  title,
}: {
  readonly error: unknown
  readonly onRetry?: () => void
  readonly title?: string
}): ReactNode {
  const requestId = error instanceof ApiError ? error.requestId : null
  const code = error instanceof ApiError ? error.code : null
  return (
    <div
      role="alert"
      className="flex flex-col gap-2 rounded border-l-2 border-negative bg-negative-2 px-4 py-3 text-14"
    >
      {title !== undefined && <p className="font-medium">{title}</p>}
      <p className="wrap-anywhere">{sentenceOf(error)}</p>
      {(requestId !== null || code !== null || onRetry) && (
        <div className="flex flex-wrap items-center gap-3 text-13 text-ink-2">
          {code !== null && <code>{code}</code>}
          {requestId !== null && (
            <span className="inline-flex items-center gap-1">
              <code>{requestId}</code>
              <CopyButton text={requestId} label="Copy request ID" />
            </span>
          )}
          {onRetry && (
            <Button size="small" onClick={onRetry}>
              Try again
            </Button>
          )}
        </div>
      )}
    </div>
  )
}
