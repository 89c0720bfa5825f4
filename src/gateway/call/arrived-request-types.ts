import type { BatchFormat, FileFormat } from '#domain/accounts/provider-kinds.ts'
import type {
  ContainerRequest,
  ConversationRequest,
  StoredRequest,
} from '#domain/provider-upstream-interface.ts'
import { isForm, type FormatName } from '#wire/names-of-wires-and-tasks.ts'
import type { RequestPath } from '#wire/wire-request.ts'
import type { ClientResponse } from './client-exchange-interface.ts'
import type { BackgroundWatch } from './background-watch-interface.ts'
import type { BatchWatch } from './batch-watch-interface.ts'
import type { Configuration } from './configuration-cache.ts'
import type { CallTargets } from './health-budgets-of-targets.ts'
import type { DailyUse } from './count-daily-limit-use.ts'
import type { SharedLimits } from './enforce-shared-limits.ts'
import type { WaitingLine } from './calls-waiting-for-money.ts'
import type { WrongKeys } from '#gateway/overload/limit-wrong-keys.ts'
import type { GatewayPorts } from './dependencies-of-gateway.ts'

export interface Arrival {
  /** Suffix of all IDs of a call (`req_`, `hold_` and `ur_`). */
  readonly id: string
  /** `response.req` is the client's request. */
  readonly response: ClientResponse
  readonly applicationId: string
  readonly route: Route
  readonly ports: GatewayPorts
  readonly configuration: Configuration
  readonly wrongKeys: WrongKeys
  readonly line: WaitingLine
  readonly dailyUse: DailyUse
  readonly sharedLimits: SharedLimits
  readonly targets: CallTargets
  readonly background: BackgroundWatch
  readonly batches: BatchWatch
}

export interface Route {
  /**
   * `answer` is a model call, and `count` counts its tokens. `files`, `batches` and `caches` manage the caller's files,
   * batches and cached content.
   */
  readonly kind:
    | 'answer'
    | 'count'
    | 'models'
    | 'model'
    | 'balance'
    | 'usage'
    | 'stored'
    | 'container'
    | 'conversation'
    | 'files'
    | 'batches'
    | 'caches'
  readonly wire: FormatName
  /**
   * Set if the path belongs to Bedrock's runtime, whose errors and streams have AWS's formats. The wire is then
   * `converse`, or `messages` for bodies of Claude.
   */
  readonly isBedrock?: true
  /** Set for a path of an Azure deployment, whose model replaces the model in the body. */
  readonly isDeployment?: true
  /** Set for version 1 of Cohere's chat, which is rewritten to version 2. */
  readonly isCohereV1?: true
  readonly path: RequestPath
  /** The part of the query that is forwarded to a provider of the same wire. */
  readonly query: string
  /** `id` is the response ID that the client sent. */
  readonly stored?: StoredRequest
  readonly container?: ContainerRequest
  readonly conversation?: ConversationRequest
  readonly file?: RoutedFile
  readonly batch?: RoutedBatch
  readonly cached?: RoutedCache
}

export interface RoutedCache {
  readonly action: 'list' | 'show' | 'delete'
  /** Empty for a list. */
  readonly id: string
}

/** `content` is the bare content of a file, as clients upload it to Google. */
export function bodyFormatOf({ file, wire }: Route): 'json' | 'form' | 'content' {
  if (file?.action === 'upload') return file.format === 'google' ? 'content' : 'form'
  return isForm(wire) ? 'form' : 'json'
}

/** `start` begins an upload at Google. Its content follows in another request. */
export type FileAction = 'start' | 'upload' | 'list' | 'show' | 'content' | 'delete'

export interface RoutedFile {
  readonly action: FileAction
  readonly format: FileFormat
  /** The ID of a file or of a started upload. Empty for a new upload and a list. */
  readonly id: string
}

export type BatchAction = 'create' | 'list' | 'show' | 'cancel' | 'results' | 'delete'

export interface RoutedBatch {
  readonly action: BatchAction
  readonly format: BatchFormat
  /** Empty if the client creates or lists batches. */
  readonly id: string
}
