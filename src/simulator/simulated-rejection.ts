export interface Rejection {
  readonly fault: string
  readonly param: string | null
  /** OpenAI's error code. Null for other vendors. */
  readonly code: string | null
  /** Defaults to 400. */
  readonly status?: number
}

export function rejection(fault: string, param: string | null = null, code: string | null = null): Rejection {
  return { fault, param, code }
}
