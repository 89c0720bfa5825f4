/** The audit log: every change of the control plane, who made it, and what it changed. */
import type { Actor, EndUserActor } from '#domain/people/actor.ts'
import type { Mode } from './account.ts'
import type { Page, Rows } from './records.ts'

export interface AuditEntry {
  readonly id: string
  readonly organizationId: string
  /** Null: the change was one of the organization. */
  readonly applicationId: string | null
  readonly mode: Mode
  readonly createdAtMs: number
  /** `stranger`: a failed sign-in, whose actor is the account that was tried. */
  readonly actorKind: (Actor | EndUserActor)['kind'] | 'stranger'
  readonly actorId: string
  readonly actorLabel: string
  /** Address of the client. */
  readonly address: string
  readonly operationId: string
  /** Method and path as they were sent. */
  readonly resource: string
  readonly requestId: string
  /** JSON text of the configuration before the change; null: it did not exist, or has no state to compare. */
  readonly before: string | null
  /** JSON text of the configuration after it, else of the answer; never a secret. */
  readonly after: string | null
  /** The customer's own id of the person whom it names; null: nobody. Who is removed is found by it. */
  readonly externalId: string | null
}

export interface AuditFilter {
  readonly applicationId: string | null
  readonly actorId: string | null
  readonly operationId: string | null
  readonly fromMs: number | null
  /** Not included. */
  readonly toMs: number | null
}

export interface AuditEntries {
  insert(entry: AuditEntry): Promise<void>
  list(organizationId: string, filter: AuditFilter, page: Page): Promise<Rows<AuditEntry>>
  /** Entries of the application that name the person. */
  naming(applicationId: string, externalId: string): Promise<readonly AuditEntry[]>
  /** Replaces address and state of an entry that counts. */
  recount(entry: Pick<AuditEntry, 'id' | 'address' | 'after'>): Promise<void>
  /** Replaces resource, states and person of an entry: only to forget the person. */
  rewrite(entry: Pick<AuditEntry, 'id' | 'resource' | 'before' | 'after' | 'externalId'>): Promise<void>
}
