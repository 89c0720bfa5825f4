/** A stored conversation to which the request adds its input and its response. */
export interface ConversationUse {
  /** The ID that the client sent. */
  readonly id: string
  readonly place: { readonly start: number; readonly end: number }
  /** Whether the provider reads every item, without truncating or compacting the conversation. */
  readonly isWhole: boolean
  /** Absent until the gateway has decrypted the ID. */
  readonly stored?: StoredConversation
  /** Absent until the gateway has read the length. Until the length is known, the hold covers the context window. */
  readonly length?: StoredLength
}

export interface StoredLength {
  /** Upper bound in tokens of `model`. Higher than any context window if the length is not known. */
  readonly tokens: number
  /** The provider's name of the model that counted the tokens; null if the bound applies to every model. */
  readonly model: string | null
  /** Identifies the state of the conversation whose length was computed. The code in wire/ does not use this field. */
  readonly version: string | null
}

export interface StoredConversation {
  /** The ID that the provider gave to the conversation. */
  readonly id: string
  /** Identifies the account that stores the conversation. */
  readonly origin: string
}
