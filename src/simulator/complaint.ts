/** A vendor's refusal of a request, in its own words. */
export interface Complaint {
  readonly fault: string
  readonly param: string | null
  /** OpenAI's; others have none. */
  readonly code: string | null
}

export function complaint(fault: string, param: string | null = null, code: string | null = null): Complaint {
  return { fault, param, code }
}
