/** A place where a request uses a file that a provider stores. */
export interface FileUse {
  /** The file ID that the client sent. */
  readonly id: string
  /** The position of the file ID in the request. */
  readonly place: { readonly start: number; readonly end: number }
  /** Whether the file is used as an image. If false, the file is used as a document. */
  readonly isImage: boolean
  /** Whether the file is only copied to a container, where code may read it. */
  readonly isUpload: boolean
  /** Whether citations are enabled for the document. */
  readonly isCited: boolean
  /** Whether the request asks for a small version of the image. */
  readonly isLowDetail: boolean
  /** Whether the request may ask for a higher resolution of the image than the default. Absent if not. */
  readonly isLarge?: true
  /**
   * The kind of content that the request states. Absent if the request states none, and on wires without media types.
   */
  readonly medium?: FileMedium
  /**
   * Number of frames that the model reads for each second of a video. If absent, the model reads one frame per second.
   */
  readonly framesPerSecond?: number
  /** Text that the gateway writes before the provider's ID when it replaces the client's ID. Absent for most files. */
  readonly before?: string
  /** Absent until the gateway has decrypted the ID. */
  readonly stored?: StoredFile
}

/** The ID and the position of a file that code has created earlier in the conversation. */
export type CodeFile = Pick<FileUse, 'id' | 'place'>

export interface StoredFile {
  /** The ID that the provider gave to the file. */
  readonly id: string
  /** Identifies the account that stores the file. */
  readonly origin: string
  /** Maximum tokens of the file as a document without citations. */
  readonly tokens: number
  /** Maximum tokens of the file as a document with citations. */
  readonly citedTokens: number
  /** Size of the image in pixels. Null for other files and for images that could not be read. */
  readonly pixels: { readonly width: number; readonly height: number } | null
  /** The kind of content that the upload stated. Absent on wires whose uploads state no medium. */
  readonly medium?: FileMedium
  /**
   * Maximum tokens of the sound in the file. Null if a sound or video has an unknown length. Absent if the file has no
   * sound.
   */
  readonly soundTokens?: number | null
}

export type FileMedium = 'image' | 'audio' | 'video' | 'document'
