/** A conversation that a provider stores, and to which the request adds its input and its response. */
export interface ConversationUse {
  /** The conversation ID that the client sent. */
  readonly id: string
  /** The position of the conversation ID in the request. */
  readonly place: { readonly start: number; readonly end: number }
  /** Whether the provider reads every item, because the request neither truncates nor compacts the conversation. */
  readonly isWhole: boolean
  /** Absent until the gateway has decrypted the ID. */
  readonly stored?: StoredConversation
  /** Absent until the gateway has read the length. While the length is absent, the hold covers the context window. */
  readonly length?: StoredLength
}

/** The length of a conversation that a provider stores. */
export interface StoredLength {
  /**
   * Upper bound for the conversation's length, in tokens of `model`. If the length is not known, this number is higher
   * than any context window.
   */
  readonly tokens: number
  /** The provider's name of the model whose tokens were counted. Null if the bound applies to every model. */
  readonly model: string | null
  /**
   * Identifies the state that the conversation had when its length was computed. The code in wire/ does not use this
   * field.
   */
  readonly version: string | null
}

export interface StoredConversation {
  /** The ID that the provider gave to the conversation. */
  readonly id: string
  /** Identifies the account that stores the conversation. */
  readonly origin: string
}
