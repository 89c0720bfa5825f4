/** A conversation that a provider stores, and to which the request adds its input and its response. */
export interface ConversationUse {
  /** The ID that the client sent, and its position. */
  readonly id: string
  readonly place: { readonly start: number; readonly end: number }
  /** Absent until the gateway has decrypted the ID. */
  readonly stored?: StoredConversation
}

export interface StoredConversation {
  /** The provider's ID. */
  readonly id: string
  /** Identifies the account that stores the conversation. */
  readonly origin: string
}
