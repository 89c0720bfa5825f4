/**
 * Computes the length of a conversation that a provider stores. The length determines the hold of a request that
 * continues the conversation (docs/decisions/2026-11-29-stored-conversations.md).
 *
 * The row of the conversation names the last call that continued the conversation. While the last call has a hold, the
 * conversation is locked. After the last call has ended, the usage of this call is the length of the conversation. The
 * row therefore needs no change at the end of a call.
 */
import type { Account } from '#domain/billing/money-account-key.ts'
import type { FileOwner } from './files-stored-at-providers.ts'

export interface LengthState {
  /**
   * Length of the conversation when it was created, in tokens. The length is an upper bound for any model. The value is
   * not used once `call` is set.
   */
  readonly tokens: number
  /** The last call that continued the conversation. */
  readonly call: Pick<ContinuingCall, 'id' | 'isWhole'> | null
  /** Tokens of items that were added after the last call and that the usage of this call does not include. */
  readonly added: number
  /** Tokens of items that are being added, or that the provider may have added without confirmation. */
  readonly pending: number
  /**
   * Tokens of content that the conversation names by URL. The provider may fetch this content again for each response,
   * and the content may have grown.
   */
  readonly atAddresses: number
}

export interface AddedItems {
  /** Upper bound of the tokens of the items, for any model. */
  readonly tokens: number
  /** The part of `tokens` whose content the items name by URL. */
  readonly atAddresses: number
}

export interface ContinuingCall extends Pick<AddedItems, 'atAddresses'> {
  readonly id: string
  /** Whether the usage of the call includes every item of the conversation. */
  readonly isWhole: boolean
}

export interface ConversationLength {
  /**
   * Upper bound of the conversation's length, in tokens of `model`. If the length is not known, the value is at least
   * `unknownTokens`.
   */
  readonly tokens: number
  /** The provider's name of the model whose tokens were counted. Null if the bound applies to every model. */
  readonly model: string | null
  /** The stored state from which the length was computed. */
  readonly version: string | null
}

/** Larger than the context window of any model. A sum of a thousand such numbers is still exact. */
export const unknownTokens = 1_000_000_000

/**
 * `open` means that the call is in flight. An object contains the usage that the provider has reported for the call.
 * Null if the call has ended without a reported usage.
 */
export type LastCall = 'open' | { readonly tokens: number; readonly model: string } | null

export interface ConversationCalls {
  lastCall(owner: Account, callId: string): Promise<LastCall>
}

export interface ConversationLengths {
  /** Returns `locked` if a call is continuing the conversation. */
  read(owner: FileOwner, id: string): Promise<ConversationLength | 'locked' | null>
  /**
   * Locks the conversation for a call that has a hold. Returns false, without a lock, if the conversation has changed
   * since its length was read.
   */
  lock(owner: FileOwner, id: string, seen: ConversationLength, call: ContinuingCall): Promise<boolean>
  /** Restores the state that the conversation had before `lock`, because the provider did not run the call. */
  unlock(owner: FileOwner, id: string, seen: ConversationLength, callId: string): Promise<void>
  /**
   * Adds the tokens of items that are about to be sent to the provider.
   * @returns `locked`, without a change, if a call is continuing the conversation; `missing` if the owner has no such
   *   conversation
   */
  beginItems(owner: FileOwner, id: string, items: AddedItems): Promise<'begun' | 'locked' | 'missing'>
  /** Moves the tokens from `pending` to `added`, or removes the tokens if the provider rejected the items. */
  endItems(owner: FileOwner, id: string, items: AddedItems, isAdded: boolean): Promise<void>
}

export function firstState({ atAddresses, tokens }: AddedItems): string {
  return textOf({ tokens, call: null, added: 0, pending: 0, atAddresses })
}

export function stateOf(text: string | null): LengthState {
  if (text === null) return { tokens: unknownTokens, call: null, added: 0, pending: 0, atAddresses: 0 }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `textOf` writes this column
  return JSON.parse(text) as LengthState
}

export function textOf(state: LengthState): string {
  return JSON.stringify(state)
}

/**
 * Returns the length of a conversation whose last call has ended.
 * @param last the usage of the last call; null if the call ended without a reported usage
 */
export function lengthOf(
  { added, atAddresses, call, pending, tokens }: LengthState,
  last: Exclude<LastCall, 'open'>,
): Pick<ConversationLength, 'model' | 'tokens'> {
  const later = added + pending + atAddresses
  if (call === null) return { tokens: tokens + later, model: null }
  if (!call.isWhole || last === null) return { tokens: unknownTokens, model: null }
  return { tokens: last.tokens + later, model: last.model }
}

/**
 * The usage of the call will include all confirmed items, so `added` becomes 0. Items that are still being added remain
 * in `pending`, because the input might not include them.
 */
export function lockedState(state: LengthState, { atAddresses, id, isWhole }: ContinuingCall): LengthState {
  return {
    tokens: unknownTokens,
    call: { id, isWhole },
    added: 0,
    pending: state.pending,
    atAddresses: state.atAddresses + atAddresses,
  }
}

export function withBegunItems(state: LengthState, { atAddresses, tokens }: AddedItems): LengthState {
  return { ...state, pending: state.pending + tokens, atAddresses: state.atAddresses + atAddresses }
}

export function withEndedItems(
  state: LengthState,
  { atAddresses, tokens }: AddedItems,
  isAdded: boolean,
): LengthState {
  const pending = state.pending - tokens
  if (isAdded) return { ...state, pending, added: state.added + tokens }
  return { ...state, pending, atAddresses: state.atAddresses - atAddresses }
}
