/**
 * Handles repeated requests with an Idempotency-Key: a request with the same key and content gets the first response
 * again.
 *
 * A key belongs to the organization, the chosen application (by header or by token), the mode and the operation. In
 * operations that only a signed-in member or end user can call, the key also belongs to the caller. In another scope,
 * the same text is a different key. The change and its response are stored in the same transaction, so a
 * crash never leaves a change without its response. Errors are not stored, because a failed request has changed nothing
 * and may succeed when it is repeated.
 */
import type { IdempotencyAnswer, IdempotencyScope } from '#domain/stored-idempotent-responses.ts'
import { Failure } from '#domain/errors.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import type { AuditEntry } from '#domain/audit-log.ts'
import type { Application } from '#domain/application-record.ts'
import type { Nouns, Store } from '#domain/store-interface.ts'
import type { AnswerStream } from '#operations/kernel/response-stream.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import { personNamedIn } from '#operations/users/shared/redact-end-user-in-json.ts'
import { invalidRequest } from './error-for-invalid-input.ts'

/** Requests can be repeated for a day, as at Stripe. */
const keptMs = dayMs

export interface Answer {
  readonly body: string
  /** Sent instead of `body`. */
  readonly stream: AnswerStream | null
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Null if this request changed nothing. */
  readonly audit: AuditEntry | null
  /** The application of which the body can contain several external IDs. Null if at most one end user is in the body. */
  readonly endUsersOf: string | null
}

export interface Change {
  readonly operation: Operation
  /**
   * SHA-256 of the request's method, path, query and body. The application and the mode are part of the scope instead.
   */
  readonly hash: string
  readonly nowMs: number
  readonly choose: (nouns: Nouns) => Promise<Application | null>
  readonly scopeOf: (application: Application | null) => IdempotencyScope | null
  /** Runs before the transaction, unless the request repeats an earlier request. */
  readonly prepare: ((application: Application | null) => Promise<unknown>) | null
  readonly run: (nouns: Nouns, application: Application | null, prepared: unknown) => Promise<Answer>
}

export function idempotencyKeyOf(headers: Headers): string | null {
  const key = headers.get('idempotency-key')
  if (key === null || /^[\x21-\x7e][\x20-\x7e]{0,254}$/.test(key)) return key
  throw invalidRequest('Idempotency-Key must be 1 to 255 printable ASCII characters.', 'idempotency-key')
}

/** If the request repeats an earlier request with the same Idempotency-Key, returns the stored first response. */
export async function answerOnce(
  store: Pick<Store, 'read' | 'transaction'>,
  change: Change,
): Promise<Answer> {
  const { choose, operation, prepare, run, scopeOf } = change
  let prepared: unknown
  if (prepare !== null) {
    const application = await choose(store.read)
    const scope = scopeOf(application)
    const earlier = scope && (await replayed(store.read, scope, change))
    if (earlier) return earlier
    prepared = await prepare(application)
  }
  const steps = async (
    nouns: Nouns,
    note: (write: (nouns: Nouns) => Promise<void>) => Promise<void>,
  ): Promise<Answer> => {
    const application = await choose(nouns)
    const scope = scopeOf(application)
    const earlier = scope && (await replayed(nouns, scope, change))
    if (earlier) return earlier
    const answer = await run(nouns, application, prepared)
    const { audit } = answer
    if (scope !== null || audit !== null) {
      await note(async (rows) => {
        if (scope) await remember(rows, scope, answer, change)
        if (audit) await rows.audit.insert(audit)
      })
    }
    return answer
  }
  // The ledger recognizes a repeated request by its own idempotency key, makes the change only once, and returns the
  // same response. A crash before the response is stored here does no harm.
  return operation.runsOutside || operation.changesNothing
    ? steps(store.read, (write) => store.transaction(write))
    : store.transaction((nouns) => steps(nouns, (write) => write(nouns)))
}

export function pruneAnswers(nouns: Nouns, nowMs: number): Promise<void> {
  return nouns.idempotency.prune(nowMs - keptMs)
}

/**
 * The requests with an Idempotency-Key that this process is handling. A concurrent request with the same key is
 * rejected.
 */
export class Running {
  readonly #scopes = new Set<string>()

  /**
   * Runs the work unless a request with the same key is being handled.
   * @throws Failure idempotency_running
   */
  async alone<T>(scope: IdempotencyScope | null, work: () => Promise<T>): Promise<T> {
    if (scope === null) return work()
    const name = JSON.stringify(scope)
    if (this.#scopes.has(name)) throw stillRunning()
    this.#scopes.add(name)
    try {
      return await work()
    } finally {
      this.#scopes.delete(name)
    }
  }
}

async function replayed(
  nouns: Nouns,
  scope: IdempotencyScope,
  { hash, nowMs, operation }: Change,
): Promise<Answer | null> {
  const kept: IdempotencyAnswer | null = await nouns.idempotency.find(scope)
  if (kept === null || kept.createdAtMs <= nowMs - keptMs) return null
  if (kept.requestHash !== hash) throw new Failure('idempotency_mismatch')
  if (operation.answersSecret) throw new Failure('secret_not_kept', { id: String(idIn(kept.response)) })
  return {
    body: kept.response,
    stream: null,
    headers: [['idempotent-replayed', 'true']],
    audit: null,
    endUsersOf: null,
  }
}

async function remember(
  nouns: Nouns,
  scope: IdempotencyScope,
  { body, endUsersOf }: Answer,
  { hash, nowMs, operation }: Change,
): Promise<void> {
  // If a response contains a secret, store only its ID, with which the secret can be revoked.
  const response = operation.answersSecret ? JSON.stringify({ id: idIn(body) }) : body
  const externalId = endUsersOf ?? personNamedIn(JSON.parse(response))
  const kept = { ...scope, requestHash: hash, status: 200, response, externalId, createdAtMs: nowMs }
  if (!(await nouns.idempotency.put(kept, nowMs - keptMs))) throw stillRunning()
}

function idIn(body: string): unknown {
  const { id }: { id?: unknown } = JSON.parse(body)
  return id
}

function stillRunning(): Failure {
  return new Failure('idempotency_running', { retryAfterSeconds: 1 })
}
