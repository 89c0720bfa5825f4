import type { Actor, EndUserActor } from '#domain/people/actor.ts'
import type { AuditEntry } from '#domain/audit.ts'
import type { Mode } from '#domain/application-config.ts'
import type { PortalSession } from '#domain/portal.ts'
import type { Application, EndUser, Organization } from '#domain/records.ts'
import type { Nouns } from '#domain/store.ts'
import type { Ports } from './ports.ts'

/**
 * The scope of a request: its organization, one application of it, one person of an application, who is signed
 * in at the portal, or none of them, where nobody is known yet.
 */
export type Scope = 'public' | 'organization' | 'application' | 'end_user'

/** The request of an operation that anybody may call. */
export interface PublicContext {
  /** The operation's transaction; for a GET, and for one that runs outside, committed rows. */
  readonly store: Nouns
  readonly nowMs: number
  readonly ports: Ports
  readonly requestId: string
  readonly client: Client
  /** The header by which a client of events says which one it got last; null: none. */
  readonly lastEventId: string | null
  readonly browser: Browser
  /** Says who the caller of a public operation turned out to be: the change is noted as theirs. */
  readonly actAs: (caller: { readonly organization: Organization; readonly actor: Actor }) => void
  /** Id of the application whose portal's host the request came to; null: it came to the control plane's. */
  readonly portalOf: string | null
  /** Sets a header of the answer; a name may be set several times. */
  readonly setHeader: (
    name: 'set-cookie' | 'cache-control' | 'location' | 'x-csrf-token',
    value: string,
  ) => void
  /** Runs `work` once the operation's changes are durable, before its answer is sent. */
  readonly afterCommit: (work: () => Promise<void>) => void
}

/** The request of an operation on an organization. */
export interface Context extends PublicContext {
  readonly organization: Organization
  readonly actor: Actor
  readonly mode: Mode
  readonly idempotencyKey: string | null
  /**
   * Changes the row that the audit log keeps of this request, where the request itself says too much of a person,
   * or nothing was changed (null: no row).
   */
  readonly editAudit: (edit: (entry: AuditEntry) => AuditEntry | null) => void
}

export interface ApplicationContext extends Context {
  readonly application: Application
}

/** What is read of an application, whoever asks. */
export type InApplication = Omit<ApplicationContext, 'actor'>

/** The request of a person who is signed in at the portal; the mode is that of the session. */
export interface EndUserContext extends InApplication {
  readonly actor: EndUserActor
  readonly endUser: EndUser
  readonly session: PortalSession
}

/** The session of the browser that a request came from. */
export interface Browser {
  /** Gives it the cookie of a new session. @returns what its pages send as `x-csrf-token` */
  begin(secret: string): string
  /** Takes the cookie away. */
  end(): void
  /** As `begin` answered it for the session of this request; null: the request has none. */
  readonly csrfToken: string | null
  /** SHA-256 of the session secret that the browser sent, right or not. Null if it sent none. */
  readonly formerSessionHash: string | null
  /** The member that has signed in on this browser before. Null if none has. */
  readonly device: KnownDevice | null
  /** Makes the browser a known device of the member. */
  remember(memberId: string): void
}

/** A browser on which a member has signed in. */
export interface KnownDevice {
  readonly memberId: string
  /** Tells the member's browsers apart. */
  readonly nonce: string
}

/** Where a request comes from. */
export interface Client {
  /** Its address, behind trusted proxies what they say of it; empty where it is not known. */
  readonly address: string
  readonly userAgent: string
  /** True if it came with `X-Forwarded-For` while no proxy is trusted. */
  readonly isForwarded?: boolean
}

/** The context before its scope is known: what the scope does not have is null. */
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
