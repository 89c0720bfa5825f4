import type { Actor, EndUserActor } from '#domain/people/caller-types.ts'
import type { AuditEntry } from '#domain/audit-log.ts'
import type { Mode } from '#domain/application-config.ts'
import type { PortalSession } from '#domain/portal-settings-and-sessions.ts'
import type { Application } from '#domain/application-record.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { Organization } from '#domain/organization-record.ts'
import type { Nouns } from '#domain/store-interface.ts'
import type { Ports } from './dependencies-of-operations.ts'

export type Scope = 'public' | 'organization' | 'application' | 'end_user'

export interface PublicContext {
  /**
   * The store within the operation's transaction. A GET, or an operation that runs outside a transaction, can only read
   * committed data.
   */
  readonly store: Nouns
  readonly nowMs: number
  readonly ports: Ports
  readonly requestId: string
  readonly client: Client
  /** The `Last-Event-ID` header: the last event that a client received. Null if the header is absent. */
  readonly lastEventId: string | null
  readonly browser: Browser
  /** Sets the caller of a public operation as soon as the caller is known, for the audit log. */
  readonly actAs: (caller: { readonly organization: Organization; readonly actor: Actor }) => void
  /** The application whose portal host received the request. Null for the control plane's host. */
  readonly portalOf: string | null
  /** The same header can be set several times. */
  readonly setHeader: (
    name: 'set-cookie' | 'cache-control' | 'location' | 'x-csrf-token',
    value: string,
  ) => void
  /** Runs `work` after the operation's changes are durable and before its response is sent. */
  readonly afterCommit: (work: () => Promise<void>) => void
  /** Runs `work` if the operation fails, to release resources outside the store. */
  readonly afterRollback: (work: () => Promise<void>) => void
}

export interface Context extends PublicContext {
  readonly organization: Organization
  readonly actor: Actor
  readonly mode: Mode
  readonly idempotencyKey: string | null
  /**
   * Edits the audit entry of this request, for example to remove personal data. `edit` returns null for no entry, if
   * nothing was changed.
   */
  readonly editAudit: (edit: (entry: AuditEntry) => AuditEntry | null) => void
  /**
   * Call this function if the response can contain external IDs of several end users of the application. A stored
   * response is otherwise found only by the first external ID, and only with the application of the request.
   */
  readonly noteEndUsersOf: (applicationId: string) => void
}

export interface ApplicationContext extends Context {
  readonly application: Application
}

export type InApplication = Omit<ApplicationContext, 'actor'>

/** The mode of the request is the mode of the portal session. */
export interface EndUserContext extends InApplication {
  readonly actor: EndUserActor
  readonly endUser: EndUser
  readonly session: PortalSession
}

export interface Browser {
  /** Sets the cookie of a new session. Returns the token that its pages send as `x-csrf-token`. */
  begin(secret: string): string
  end(): void
  /** Null if the request has no session. */
  readonly csrfToken: string | null
  /** SHA-256 of the session secret that the browser sent, valid or not. Null if the browser sent none. */
  readonly formerSessionHash: string | null
  /** The member who signed in on this browser before. */
  readonly device: KnownDevice | null
  remember(memberId: string): void
}

export interface KnownDevice {
  readonly memberId: string
  /** Distinguishes the member's browsers from each other. */
  readonly nonce: string
}

export interface Client {
  /** May be reported by a trusted proxy. Empty if the address is not known. */
  readonly address: string
  readonly userAgent: string
  /** Whether the request had `X-Forwarded-For` although no proxy is trusted. */
  readonly isForwarded?: boolean
}

/** Fields that the request's scope does not have are null. */
export type AnyContext = Omit<Context, 'organization' | 'actor'> & {
  readonly organization: Organization | null
  readonly actor: Actor | EndUserActor | null
  readonly application: Application | null
  readonly endUser: EndUser | null
  readonly session: PortalSession | null
}

export type ContextOf<S extends Scope> = S extends 'end_user'
  ? EndUserContext
  : S extends 'application'
    ? ApplicationContext
    : S extends 'organization'
      ? Context
      : PublicContext
