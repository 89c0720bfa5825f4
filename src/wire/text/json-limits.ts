export interface JsonFault {
  readonly reason: string
  /** Nothing is wrong with it but that its text is larger than it may be. */
  readonly isTooLarge?: true
}

export interface JsonLimits {
  /** JSON.stringify and structuredClone of deeper values throw in V8 (docs/reference/threats.md "Depth"). */
  readonly depthMax: number
  readonly valuesMax: number
  /** Of all that is not media as base64; absent: no other than the body's own. */
  readonly textBytesMax?: number
}

export const defaultLimits: JsonLimits = { depthMax: 64, valuesMax: 150_000 }
