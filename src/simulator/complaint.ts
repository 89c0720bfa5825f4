/** What a vendor refuses a request for, in its own words. */
export interface Complaint {
  readonly fault: string
  readonly param: string | null
  /** OpenAI's code; others have none. */
  readonly code: string | null
}

/** Remembers the first thing that is wrong with a request, which is the one that vendors name. */
export class Complaints {
  #first: Complaint | null = null

  get first(): Complaint | null {
    return this.#first
  }

  /** Nothing, when the condition holds. */
  unless(isMet: boolean, fault: string, { param = null, code = null }: Partial<Complaint> = {}): void {
    if (!isMet) this.#first ??= { fault, param, code }
  }
}

/** For a reader that can read no further. */
export function complaint(fault: string, about: Partial<Complaint> = {}): Complaint {
  return { param: null, code: null, ...about, fault }
}
