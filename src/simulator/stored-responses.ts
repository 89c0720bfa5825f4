import type { JsonObject } from './loose-json.ts'

/** A response that the simulated vendor stores. */
export interface KeptResponse {
  readonly id: string
  /** The whole conversation: the output of the response, its input, and the conversation of the responses before it. */
  readonly items: readonly JsonObject[]
  /** Number of input items that the response has read. */
  readonly inputCount: number
  /** The response as JSON. */
  readonly text: string
}

/**
 * The responses that the simulator stores for test mode, in the memory of this process. They are not shared with other
 * processes and do not survive a restart. The oldest response is dropped when the memory is full.
 */
export class KeptResponses {
  readonly #kept = new Map<string, { readonly response: KeptResponse; readonly size: number }>()
  #size = 0

  keep(response: KeptResponse): void {
    // The conversation does not count separately. Its last part is in this text, and the rest is in earlier responses.
    const size = response.text.length + JSON.stringify(response.items).length
    if (size > sizeMax / 16) return
    this.delete(response.id)
    this.#kept.set(response.id, { response, size })
    this.#size += size
    for (const [id] of this.#kept) {
      if (this.#size <= sizeMax && this.#kept.size <= countMax) break
      this.delete(id)
    }
  }

  find(id: string): KeptResponse | null {
    return this.#kept.get(id)?.response ?? null
  }

  /** Deletes a response, and returns whether it existed. */
  delete(id: string): boolean {
    const found = this.#kept.get(id)
    if (found === undefined) return false
    this.#size -= found.size
    return this.#kept.delete(id)
  }
}

/** Size in characters of JSON. */
const sizeMax = 16 * 1024 * 1024
const countMax = 1_000
