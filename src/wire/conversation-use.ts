/** A conversation that a provider stores, and to which the request adds its input and its response. */
export interface ConversationUse {
  /** The ID that the client sent, and its position. */
  readonly id: string
  readonly place: { readonly start: number; readonly end: number }
  /** Whether the provider reads every item, because the request neither truncates nor compacts the conversation. */
  readonly isWhole: boolean
  /** Absent until the gateway has decrypted the ID. */
  readonly stored?: StoredConversation
  /** Absent until the gateway has read the length. Without the length, the hold covers the context window. */
  readonly length?: StoredLength
}

/** The length of a conversation that a provider stores. */
export interface StoredLength {
  /** Upper bound, in tokens of `model`. More than any context window if the length is not known. */
  readonly tokens: number
  /** The provider's name of the model whose tokens were counted. Null if the bound applies to every model. */
  readonly model: string | null
  /** The state from which the length was computed. The wire does not read it. */
  readonly version: string | null
}

export interface StoredConversation {
  /** The provider's ID. */
  readonly id: string
  /** Identifies the account that stores the conversation. */
  readonly origin: string
}
