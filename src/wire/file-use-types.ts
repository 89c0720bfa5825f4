export interface FileUse {
  /** The ID that the client sent. */
  readonly id: string
  readonly place: { readonly start: number; readonly end: number }
  /** If false, the file is used as a document. */
  readonly isImage: boolean
  /** Whether the file is only copied to a container, where code may read it. */
  readonly isUpload: boolean
  readonly isCited: boolean
  readonly isLowDetail: boolean
  /** Whether the request may ask for a higher resolution of the image than the default. */
  readonly isLarge?: true
  /**
   * The kind of content that the request states. Absent if the request states none, and on wires without media types.
   */
  readonly medium?: FileMedium
  /** Absent means one frame per second. */
  readonly framesPerSecond?: number
  /** Text that the gateway writes before the provider's ID, for example the start of an address. */
  readonly before?: string
  /** Absent until the gateway has decrypted the ID. */
  readonly stored?: StoredFile
}

/** A file that code has created earlier in the conversation. */
export type CodeFile = Pick<FileUse, 'id' | 'place'>

export interface StoredFile {
  /** The ID that the provider gave to the file. */
  readonly id: string
  /** Identifies the account that stores the file. */
  readonly origin: string
  /** Maximum tokens if the file is used as a document without citations. */
  readonly tokens: number
  /** Maximum tokens if the file is used as a document with citations. */
  readonly citedTokens: number
  /** Null for other files and for images that could not be read. */
  readonly pixels: { readonly width: number; readonly height: number } | null
  /** The kind of content that the upload stated. Absent on wires whose uploads state none. */
  readonly medium?: FileMedium
  /** Null if a sound or video has an unknown length. Absent if the file has no sound. */
  readonly soundTokens?: number | null
}

export type FileMedium = 'image' | 'audio' | 'video' | 'document'
