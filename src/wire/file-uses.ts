/** A place where a request uses a file that a provider stores. */
export interface FileUse {
  /** The ID that the client sent, and its position. */
  readonly id: string
  readonly place: { readonly start: number; readonly end: number }
  /** Whether the file is used as an image. Otherwise, it is used as a document. */
  readonly isImage: boolean
  /** Whether the file is only copied to a container, where code may read it. */
  readonly isUpload: boolean
  /** Whether citations are enabled for the document. */
  readonly isCited: boolean
  /** Whether the request asks for a small version of the image. */
  readonly isLowDetail: boolean
  /** Absent until the gateway has opened the ID. */
  readonly stored?: StoredFile
}

export interface StoredFile {
  /** The provider's ID. */
  readonly id: string
  /** Identifies the account that stores the file. */
  readonly origin: string
  /** Maximum tokens of the file as a document, and with citations. */
  readonly tokens: number
  readonly citedTokens: number
  /** Size of an image. Null for other files and for images that could not be read. */
  readonly pixels: { readonly width: number; readonly height: number } | null
}
