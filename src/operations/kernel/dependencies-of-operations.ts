import type { EmitterAmount } from '#domain/emitters/emitter-kinds.ts'
import type {
  Delivery,
  EnabledEmitter,
  ListenedApplication,
  SignedBatch,
  UsageEvent,
} from '#domain/emitters/emitter-records-and-ports.ts'
import type { CallTail } from '#domain/calls/requests-tail-interface.ts'
import type { IdSource } from '#domain/ids-sorted-by-time.ts'
import type { Ledger } from '#domain/ledger-interface.ts'
import type { SecretOwner } from '#domain/secrets/encrypt-stored-secrets.ts'
import type { FamiliarSites } from '#domain/network/familiar-client-networks.ts'
import type { IdentityProvider } from '#domain/people/identity-provider-interface.ts'
import type { Mail } from '#domain/people/mail-sender.ts'
import type { PasskeyVerifier } from '#domain/people/passkeys.ts'
import type { Passwords } from '#domain/people/hash-and-check-passwords.ts'
import type { ProbeAccount } from '#domain/health/provider-probes.ts'
import type { PollPace } from '#domain/people/device-poll-interval.ts'
import type { Application } from '#domain/application-record.ts'
import type { PreviewRoute, TargetCircuit } from '#domain/route-preview-interface.ts'
import type { Store } from '#domain/store-interface.ts'
import type { FailedSignInLog } from './record-failed-sign-ins.ts'

export interface Ports {
  readonly ledger: Pick<Ledger, 'clearMonth' | 'complete' | 'credit' | 'refund'>
  readonly emitters: EmitterWork
  readonly epoch: number
  /**
   * For operations that run outside a transaction and for work after a commit. Never use this store inside another
   * transaction.
   */
  readonly store: Store
  /** Encrypts a secret that the server must be able to read later (encrypt-stored-secrets.ts). */
  seal(plaintext: string, owner: SecretOwner): string
  readonly newId: IdSource
  randomByte(): number
  /** Returns loopback ports for a new application. Null if applications are reached only by host name. */
  allocatePorts(): Promise<ApplicationPorts>
  /** Call this if the application was not stored after its ports were allocated. */
  releasePorts(allocated: ApplicationPorts): Promise<void>
  urls(application: Pick<Application, 'slug' | 'gatewayPort' | 'portalPort'>): ApplicationUrls
  /** Call this after an application is created, so that the server listens on its hosts and ports. */
  applicationsChanged(): Promise<void>
  /** Whether provider base URLs may point into private networks (TOLLGATE_ALLOW_PRIVATE_PROVIDERS). */
  readonly allowPrivateProviders: boolean
  /**
   * Whether a URL names a host or port of this server. Requests to such a URL would return to this server again and
   * again.
   */
  isOwnUrl(url: string): boolean
  circuits(): readonly TargetCircuit[]
  /** Decides as for a real request, but sends no request and holds no money. */
  readonly previewRoute: PreviewRoute
  readonly probeAccount: ProbeAccount
  baseUrl(): string
  readonly passwords: Pick<Passwords, 'hash' | 'isRight'>
  readonly passkeys: PasskeyVerifier
  /** Writes failed sign-ins of members to the audit log, after the response. */
  readonly failedSignIns: Pick<FailedSignInLog, 'note'>
  /** Sites (address ranges) from which team members have sent valid credentials. */
  readonly familiarSites: FamiliarSites
  /** Null if members sign in with passwords only. */
  readonly identityProvider: Pick<IdentityProvider, 'issuer'> | null
  /** Null without a mail server. Links are then shown to the member who creates them. */
  readonly mail: Mail | null
  readonly callTail: CallTail
  readonly devicePolls: Pick<PollPace, 'poll' | 'intervalOf'>
  diskSpace(): Promise<DiskSpace>
  /** Logs an error that does not make the request fail. `about` never contains a body or a secret. */
  noteFault(error: unknown, about: string): void
}

/** This process delivers the events alongside its requests. */
export interface EmitterWork {
  /** Call this after a change of emitters is committed. */
  changed(): Promise<void>
  /** @returns null if the server is stopping, so that the result of the delivery is unknown */
  deliverSample(emitter: EnabledEmitter, event: UsageEvent): Promise<Omit<Delivery, 'reason'> | null>
  /** The secret never changes. */
  listenSecret(application: ListenedApplication): string
  /** @returns null if none of the requests has settled, or if the emitter receives none of them */
  batchOfCalls(
    application: ListenedApplication,
    amount: EmitterAmount,
    callIds: readonly string[],
  ): Promise<SignedBatch | null>
  batchOf(application: ListenedApplication, amount: EmitterAmount, events: readonly UsageEvent[]): SignedBatch
}

export interface DiskSpace {
  readonly freeBytes: number
  readonly totalBytes: number
}

export interface ApplicationPorts {
  readonly gateway: number | null
  readonly portal: number | null
}

export interface ApplicationUrls {
  readonly gateway: string
  readonly portal: string
  readonly localGateway?: string
  readonly localPortal?: string
}
