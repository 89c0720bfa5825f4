import type { Actor, EndUserActor } from '#domain/people/caller-types.ts'
import type { Mode } from '#domain/billing/money-account-key.ts'
import type { Page, Rows } from './list-page.ts'

export interface AuditEntry {
  readonly id: string
  readonly organizationId: string
  /** Null if the change belongs to the organization. */
  readonly applicationId: string | null
  readonly mode: Mode
  readonly createdAtMs: number
  /**
   * `stranger` is the kind of actor in an entry for a failed sign-in. The entry names the account to which the stranger
   * tried to sign in.
   */
  readonly actorKind: (Actor | EndUserActor)['kind'] | 'stranger'
  readonly actorId: string
  readonly actorLabel: string
  readonly address: string
  readonly operationId: string
  /** Method and path of the request, as they were sent. */
  readonly resource: string
  readonly requestId: string
  /**
   * The configuration before the change, as JSON. Null if the object did not exist, or if there is no state to compare.
   */
  readonly before: string | null
  /** The configuration after the change, or the response, as JSON. The text never contains a secret. */
  readonly after: string | null
  /** By this external ID, the server finds the entries of a deleted end user. */
  readonly externalId: string | null
}

export interface AuditFilter {
  readonly applicationId: string | null
  readonly actorId: string | null
  readonly operationId: string | null
  readonly fromMs: number | null
  /** End of the time range (exclusive). */
  readonly toMs: number | null
}

export interface AuditEntries {
  insert(entry: AuditEntry): Promise<void>
  list(organizationId: string, filter: AuditFilter, page: Page): Promise<Rows<AuditEntry>>
  /** Returns the entries of the application that contain the end user's external ID. */
  naming(applicationId: string, externalId: string): Promise<readonly AuditEntry[]>
  /** Replaces the client address and the field `after` of an entry that counts failed sign-ins. */
  recount(entry: Pick<AuditEntry, 'id' | 'address' | 'after'>): Promise<void>
  /**
   * Replaces the resource, the fields `before` and `after`, and the external ID of an entry. Use this method only to
   * delete an end user's data.
   */
  rewrite(entry: Pick<AuditEntry, 'id' | 'resource' | 'before' | 'after' | 'externalId'>): Promise<void>
}
