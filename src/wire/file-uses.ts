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
  /** Whether the request may raise the resolution of the image. Absent means no. */
  readonly isLarge?: true
  /** The medium that the request states. Absent if the request states no medium, and on wires without media types. */
  readonly medium?: FileMedium
  /** How many frames of each second of a video the model reads. Absent means 1. */
  readonly framesPerSecond?: number
  /** Text that is written before the provider's ID when the ID replaces the client's ID. Absent for most requests. */
  readonly before?: string
  /** Absent until the gateway has decrypted the ID. */
  readonly stored?: StoredFile
}

/** The ID of a file that code has created, in the history of a conversation. */
export type CodeFile = Pick<FileUse, 'id' | 'place'>

export interface StoredFile {
  /** The provider's ID. */
  readonly id: string
  /** Identifies the account that stores the file. */
  readonly origin: string
  /** Maximum tokens of the file as a document without citations, and with citations. */
  readonly tokens: number
  readonly citedTokens: number
  /** Size of an image. Null for other files and for images that could not be read. */
  readonly pixels: { readonly width: number; readonly height: number } | null
  /** The medium that the upload stated. Absent on wires whose uploads state no medium. */
  readonly medium?: FileMedium
  /** Maximum tokens of the sound in the file. Null if a sound or video has an unknown length. Absent without sound. */
  readonly soundTokens?: number | null
}

export type FileMedium = 'image' | 'audio' | 'video' | 'document'
