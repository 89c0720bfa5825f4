import {
  lengthOf,
  lockedState,
  stateOf,
  textOf,
  withBegunItems,
  withEndedItems,
  type ConversationLengths,
  type LastCall,
  type LengthState,
} from '#domain/accounts/stored-conversation-lengths.ts'
import type { FileOwner } from '#domain/accounts/files-stored-at-providers.ts'
import type { Store } from '#domain/store-interface.ts'
import { readsOf } from './deletions-at-providers.ts'

export class ConversationLengthList implements ConversationLengths {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  read: ConversationLengths['read'] = async (owner, id) => {
    const row = await this.#stateWithCall(owner, id)
    if (row === null) return null
    const { last, text } = row
    return last === 'open' ? 'locked' : { ...lengthOf(stateOf(text), last), version: text }
  }

  lock: ConversationLengths['lock'] = (owner, id, { version }, call) =>
    this.#replace(owner, id, version, textOf(lockedState(stateOf(version), call)))

  unlock: ConversationLengths['unlock'] = async (owner, id, { version }, callId) => {
    // The provider may have accepted or rejected items while the conversation was locked, so keep the changes to items.
    await this.#change(owner, id, (state) => {
      if (state.call?.id !== callId) return null
      const before = stateOf(version)
      return { ...before, added: before.added + state.added, pending: state.pending }
    })
  }

  beginItems: ConversationLengths['beginItems'] = async (owner, id, items) => {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- repeated only if another request has changed the row
      const row = await this.#stateWithCall(owner, id)
      if (row === null) return 'missing'
      if (row.last === 'open') return 'locked'
      const begun = textOf(withBegunItems(stateOf(row.text), items))
      // oxlint-disable-next-line no-await-in-loop -- as above
      if (await this.#replace(owner, id, row.text, begun)) return 'begun'
    }
  }

  endItems: ConversationLengths['endItems'] = (owner, id, items, isAdded) =>
    this.#change(owner, id, (state) => withEndedItems(state, items, isAdded))

  /**
   * Reads the stored state before the call that it names. If the call has ended, no later call has changed the state
   * that was read.
   */
  async #stateWithCall(
    owner: FileOwner,
    id: string,
  ): Promise<{ readonly text: string | null; readonly last: LastCall } | null> {
    const { conversationCalls, storedFiles } = readsOf(this.#store, owner)
    const row = await storedFiles.byId(owner, id)
    if (row === null) return null
    const text = row.lengthState ?? null
    const { call } = stateOf(text)
    return { text, last: call === null ? null : await conversationCalls.lastCall(owner, call.id) }
  }

  /**
   * Repeats the change if another request has changed the state.
   * @param changed returns null to change nothing
   */
  async #change(
    owner: FileOwner,
    id: string,
    changed: (state: LengthState) => LengthState | null,
  ): Promise<void> {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- repeated only if another request has changed the row
      const row = await readsOf(this.#store, owner).storedFiles.byId(owner, id)
      const text = row?.lengthState ?? null
      const next = row === null ? null : changed(stateOf(text))
      // oxlint-disable-next-line no-await-in-loop -- as above
      if (next === null || (await this.#replace(owner, id, text, textOf(next)))) return
    }
  }

  #replace(owner: FileOwner, id: string, from: string | null, to: string): Promise<boolean> {
    return this.#store.transaction(({ storedFiles }) => storedFiles.replaceLengthState(owner, id, from, to))
  }
}
