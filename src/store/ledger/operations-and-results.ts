import type {
  BackgroundRequest,
  CheckpointRequest,
  ClearMonthRequest,
  CompleteRequest,
  CreditResult,
  ExtendRequest,
  ExtendResult,
  LateUsageRequest,
  LateUsageResult,
  RedirectRequest,
  RefundRequest,
  RefundResult,
  ReleaseRequest,
  RequestRecord,
  ReserveRequest,
  ReserveResult,
  SettleRequest,
  SettleResult,
} from '#domain/ledger-interface.ts'
import { background } from './store-background-response-id.ts'
import type { Book } from './ledger-state-in-memory.ts'
import type { GrantTerms } from './state-types.ts'
import { clearMonth } from './clear-on-demand-month.ts'
import { complete } from './add-due-sources.ts'
import { beginGrant, continueGrant, type UnfinishedGrant } from './issue-grant.ts'
import { lateUsage, refund } from './call-corrections.ts'
import { extend } from './extend-hold.ts'
import { recover, type RecoverResult } from './recover-call-of-dead-process.ts'
import { redirect } from './switch-target.ts'
import { reserve } from './reserve.ts'
import { release, settle } from './settle-and-release.ts'

export type Operation =
  | { readonly kind: 'reserve'; readonly request: ReserveRequest }
  | { readonly kind: 'extend'; readonly request: ExtendRequest }
  | { readonly kind: 'redirect'; readonly request: RedirectRequest }
  | { readonly kind: 'background'; readonly request: BackgroundRequest }
  | { readonly kind: 'checkpoint'; readonly request: CheckpointRequest }
  | { readonly kind: 'settle'; readonly request: SettleRequest }
  | { readonly kind: 'release'; readonly request: ReleaseRequest }
  | { readonly kind: 'record'; readonly request: RequestRecord }
  | {
      readonly kind: 'begin_grant'
      readonly terms: GrantTerms
      readonly endUserIds: readonly string[]
      readonly isLarge: boolean
      /** Whether the caller has checked that the end users belong to the application of the grant. */
      readonly isChecked: boolean
    }
  | {
      readonly kind: 'continue_grant'
      readonly terms: GrantTerms
      readonly endUserIds: readonly string[]
      readonly done: number | null
    }
  | { readonly kind: 'complete'; readonly request: CompleteRequest }
  | { readonly kind: 'clear_month'; readonly request: ClearMonthRequest }
  | { readonly kind: 'refund'; readonly request: RefundRequest }
  | { readonly kind: 'late_usage'; readonly request: LateUsageRequest }
  | { readonly kind: 'recover'; readonly callId: string; readonly nowMs: number }

/** On a distributed database, a grant is written on every node. If one node is unavailable, only grants fail. */
export function isOfGrant({ kind }: Operation): boolean {
  return kind === 'begin_grant' || kind === 'continue_grant'
}

export type Done =
  | ReserveResult
  | ExtendResult
  | SettleResult
  | CreditResult
  | UnfinishedGrant
  | RefundResult
  | LateUsageResult
  | RecoverResult
  | null

export type OperationResult =
  | { readonly kind: 'done'; readonly value: Done }
  /** The operation wrote nothing. The caller may send the same operation again. */
  | { readonly kind: 'unavailable'; readonly reason: string }
  /** The operation wrote nothing, because another transaction has locked the row of the operation's end user. */
  | { readonly kind: 'locked' }
  /** The operation wrote nothing, and would fail the same way if it were sent again. */
  | { readonly kind: 'fault'; readonly name: string; readonly message: string }

export type BatchAnswer =
  | { readonly kind: 'results'; readonly results: readonly OperationResult[] }
  /** It is unknown whether the batch was committed. Call `resolve` before the next batch. */
  | { readonly kind: 'in_doubt' }
  /** The ledger's amounts of money are inconsistent. The batch wrote nothing, and the ledger writes nothing more. */
  | { readonly kind: 'stopped'; readonly reason: string }

/** The queue waits for each result before the next call. */
export interface LedgerEngine {
  /**
   * Returns no promise if the engine runs on this thread and nothing fails. A promise would cost time in every batch.
   */
  run(operations: readonly Operation[]): BatchAnswer | Promise<BatchAnswer>
  /** Returns the final result of a batch for which the engine has returned `in_doubt`. */
  resolve(): Promise<BatchAnswer>
}

export function perform(book: Book, operation: Operation): Done {
  switch (operation.kind) {
    case 'reserve':
      return reserve(book, operation.request)
    case 'settle':
      return settle(book, operation.request)
    case 'release':
      release(book, operation.request)
      return null
    case 'redirect':
      redirect(book, operation.request)
      return null
    case 'background':
      background(book, operation.request)
      return null
    case 'checkpoint':
      checkpoint(book, operation.request)
      return null
    case 'record':
      book.addRequest({ record: operation.request, attempts: null })
      return null
    case 'extend':
      return extend(book, operation.request)
    case 'begin_grant':
      return beginGrant(book, operation.terms, operation.endUserIds, operation)
    case 'continue_grant':
      continueGrant(book, operation.terms, operation.endUserIds, operation.done)
      return null
    case 'complete':
      complete(book, operation.request)
      return null
    case 'clear_month':
      clearMonth(book, operation.request)
      return null
    case 'refund':
      return refund(book, operation.request)
    case 'late_usage':
      return lateUsage(book, operation.request)
    case 'recover':
      return recover(book, operation.callId, operation.nowMs)
    default:
      return operation satisfies never
  }
}

/** Does nothing if the call has already ended. */
function checkpoint(book: Book, { callId, usage }: CheckpointRequest): void {
  const open = book.open(callId)
  if (open === null) return
  open.checkpoint = usage
  book.changeHold(open)
}
