/** Handles ETags and preconditions (RFC 9110 8.8.3, 13.1). */
import { Failure } from '#domain/errors.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { AnyContext } from '#operations/kernel/operation-context.ts'
import type { DecodedCall, Operation } from '#operations/kernel/declare-operation.ts'
import { invalidRequest } from './error-for-invalid-input.ts'

export interface Preconditions {
  readonly ifMatch: string | null
  readonly ifNoneMatch: string | null
}

export function preconditionsOf(headers: Headers, { hasRevision, method }: Operation): Preconditions {
  const ifMatch = headers.get('if-match')
  const ifNoneMatch = method === 'GET' ? null : headers.get('if-none-match')
  // Reject a precondition that this server cannot check. If it were ignored, the caller would believe that it was true.
  if (ifMatch !== null && !hasRevision && method !== 'GET') {
    throw invalidRequest('If-Match is not supported, because the resource has no ETag.', 'if-match')
  }
  if (ifNoneMatch !== null && !hasRevision) {
    throw invalidRequest('If-None-Match is not supported, because the resource has no ETag.', 'if-none-match')
  }
  return { ifMatch, ifNoneMatch }
}

/** @throws Failure precondition_failed */
export async function checkPreconditions(
  decoded: DecodedCall,
  { ifMatch, ifNoneMatch }: Preconditions,
  context: AnyContext,
): Promise<void> {
  if (ifMatch === null && ifNoneMatch === null) return
  const revision = await decoded.revision(context)
  const actual = revision && revisionEtag(revision)
  // If-None-Match compares weakly (RFC 9110 13.1.2). Proxies that compress responses make ETags weak.
  const isMatch = ifMatch === null || isNamed(ifMatch, actual)
  const isFree = ifNoneMatch === null || !isNamed(ifNoneMatch.replaceAll('W/"', '"'), actual)
  if (isMatch && isFree) return
  throw new Failure('precondition_failed', {
    expected: (ifMatch ?? `none of ${ifNoneMatch}`).slice(0, 128),
    actual: actual ?? 'none',
  })
}

export function revisionEtag(revision: object): string {
  return etagOf(revisionText(revision))
}

export function revisionText(revision: object): string {
  return JSON.stringify(revision, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}

export function etagOf(text: string): string {
  return `"${sha256(text).slice(0, 32)}"`
}

/**
 * `*` matches any existing resource. A list matches if one of its tags is equal by strong comparison (RFC 9110 13.1.1).
 */
function isNamed(header: string, etag: string | null): boolean {
  if (etag === null) return false
  return header.trim() === '*' || header.split(',').some((candidate) => candidate.trim() === etag)
}
