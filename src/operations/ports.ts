import type { EmitterAmount } from '#domain/emitter-kinds.ts'
import type {
  Delivery,
  EnabledEmitter,
  ListenedApplication,
  SignedBatch,
  UsageEvent,
} from '#domain/emitters.ts'
import type { CallTail } from '#domain/call-tail.ts'
import type { IdSource } from '#domain/id.ts'
import type { Ledger } from '#domain/ledger.ts'
import type { SecretOwner } from '#domain/secrets/encryption.ts'
import type { FamiliarSites } from '#domain/network/familiar-sites.ts'
import type { IdentityProvider } from '#domain/people/identity-provider.ts'
import type { Mail } from '#domain/people/mail.ts'
import type { PasskeyVerifier } from '#domain/people/passkeys.ts'
import type { FailedSignInLog } from './sessions/failed-sign-in-log.ts'
import type { Passwords } from '#domain/people/passwords.ts'
import type { ProbeAccount } from '#domain/probes.ts'
import type { PollPace } from '#domain/people/poll-pace.ts'
import type { Application } from '#domain/records.ts'
import type { PreviewRoute, TargetCircuit } from '#domain/route-preview.ts'
import type { Store } from '#domain/store.ts'

/** Dependencies of operations, made once at the start of the server. */
export interface Ports {
  readonly ledger: Pick<Ledger, 'clearMonth' | 'complete' | 'credit' | 'refund'>
  readonly emitters: EmitterWork
  /** Of this process: its row in `epochs`. */
  readonly epoch: number
  /** For operations without a transaction of their own, and for work after a commit: never inside another one. */
  readonly store: Store
  /** Seals a secret that must be read again (encryption.ts). */
  seal(plaintext: string, owner: SecretOwner): string
  readonly newId: IdSource
  /** The next byte of a CSPRNG. */
  randomByte(): number
  /** Loopback ports for a new application; null where addresses are host names only. */
  allocatePorts(): Promise<ApplicationPorts>
  /** The addresses of an application. */
  urls(application: Pick<Application, 'slug' | 'gatewayPort' | 'portalPort'>): ApplicationUrls
  /** Called after an application is made, so that the server listens to its hosts and ports. */
  applicationsChanged(): Promise<void>
  /** Whether provider base URLs may point into private networks (TOLLGATE_ALLOW_PRIVATE_PROVIDERS). */
  readonly allowPrivateProviders: boolean
  /** Whether a URL names a host or port of this server: what is sent there would come back. */
  isOwnUrl(url: string): boolean
  /** What this process knows of each account and model that it has called, of every organization. */
  circuits(): readonly TargetCircuit[]
  /** Who would answer a call, decided as for a call: nothing is sent and nothing held. */
  readonly previewRoute: PreviewRoute
  /** One small call of a provider, for providers.probe. */
  readonly probeAccount: ProbeAccount
  /** The address of the control plane, with which every link begins. */
  baseUrl(): string
  readonly passwords: Pick<Passwords, 'hash' | 'isRight'>
  readonly passkeys: PasskeyVerifier
  /** Puts failed sign-ins of members into the audit log, behind the response. */
  readonly failedSignIns: Pick<FailedSignInLog, 'note'>
  /** Sites from which teams have sent right credentials. */
  readonly familiarSites: FamiliarSites
  /** Null: people sign in with passwords only. */
  readonly identityProvider: Pick<IdentityProvider, 'issuer'> | null
  /** Null: there is no mail server, and links are shown to who makes them. */
  readonly mail: Mail | null
  readonly callTail: CallTail
  /** Of devices that wait to be signed in. */
  readonly devicePolls: Pick<PollPace, 'poll' | 'intervalOf'>
  /** Room on the disk that has the data folder. */
  diskSpace(): Promise<DiskSpace>
  /** Notes a fault that the answer survives. `about` never holds a body or a secret. */
  noteFault(error: unknown, about: string): void
}

/** Deliveries, which this process makes beside its requests. */
export interface EmitterWork {
  /** Called after a change of emitters is committed. */
  changed(): Promise<void>
  /** @returns null: the server stops, and it is not known what became of it */
  deliverSample(emitter: EnabledEmitter, event: UsageEvent): Promise<Omit<Delivery, 'reason'> | null>
  /** The secret that signs what listeners of an application and mode forward: always the same. */
  listenSecret(application: ListenedApplication): string
  /** @returns null: none of the calls has settled, or is wanted */
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
