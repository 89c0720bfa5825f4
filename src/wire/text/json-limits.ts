export interface JsonFault {
  readonly reason: string
  /** Set if the only fault is that the text is too large. */
  readonly isTooLarge?: true
}

export interface JsonLimits {
  /**
   * In V8, JSON.stringify and structuredClone throw for very deep values (docs/reference/threats.md "Nesting depth").
   */
  readonly depthMax: number
  readonly valuesMax: number
  /** Maximum size of everything except base64 media. If absent, only the body's own limit applies. */
  readonly textBytesMax?: number
}

export const defaultLimits: JsonLimits = { depthMax: 64, valuesMax: 150_000 }
