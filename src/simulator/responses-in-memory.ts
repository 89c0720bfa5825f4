import type { JsonObject } from './read-json-loosely.ts'
import { KeptCaches } from './cached-contents-in-memory.ts'
import { KeptBatches } from './batches-in-memory.ts'
import { KeptConversations } from './conversations-in-memory.ts'
import { KeptFiles } from './files-in-memory.ts'

/** A response that the simulated vendor stores. */
export interface KeptResponse {
  readonly id: string
  /** The whole conversation: the output of the response, its input, and the conversation of the responses before it. */
  readonly items: readonly JsonObject[]
  /** Number of input items that the response has read. */
  readonly inputCount: number
  /** The response as JSON. */
  readonly text: string
  /** Set if the response is generated in the background. */
  readonly background?: BackgroundTexts
}

/** The texts of a response that is generated in the background, one for each state. */
export interface BackgroundTexts {
  /** The response as JSON while it is being generated. */
  readonly running: string
  /** The response as JSON after a cancellation. */
  readonly canceled: string
  /** The events of the response's stream. The position of an event in the list is its sequence number. */
  readonly events: readonly string[]
  /** How long the response takes, in milliseconds. Infinite if the response never ends by itself. */
  readonly durationMs: number
}

interface Kept {
  readonly response: KeptResponse
  readonly size: number
  readonly endsAtMs: number
  isCanceled: boolean
}

/**
 * The responses that the simulator stores for test mode, in the memory of this process. The responses are not shared
 * with other processes, and are lost when the process restarts. When the memory is full, the oldest response is
 * dropped.
 */
export class KeptResponses {
  readonly files = new KeptFiles()
  readonly conversations = new KeptConversations()
  readonly caches = new KeptCaches()
  readonly batches: KeptBatches
  readonly #kept = new Map<string, Kept>()
  readonly #nowMs: () => number
  #size = 0

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs
    this.batches = new KeptBatches(nowMs)
  }

  keep(response: KeptResponse): void {
    const { background, id, items, text } = response
    // The whole conversation counts toward the size of each response, although responses share the items in memory.
    const size = text.length + JSON.stringify(items).length + sizeOf(background)
    if (size > sizeMax / 16) return
    this.delete(id)
    const endsAtMs = this.#nowMs() + (background?.durationMs ?? 0)
    this.#kept.set(id, { response, size, endsAtMs, isCanceled: false })
    this.#size += size
    for (const [oldest] of this.#kept) {
      if (this.#size <= sizeMax && this.#kept.size <= countMax) break
      this.delete(oldest)
    }
  }

  find(id: string): KeptResponse | null {
    return this.#kept.get(id)?.response ?? null
  }

  /** Returns the response as JSON in its current state. */
  textOf(response: KeptResponse): string {
    const { background, id, text } = response
    if (background === undefined) return text
    if (this.#kept.get(id)?.isCanceled === true) return background.canceled
    return this.remainingMs(response) > 0 ? background.running : text
  }

  /** Returns the remaining duration of the response, in milliseconds. 0 if the response has ended. */
  remainingMs({ id }: KeptResponse): number {
    const kept = this.#kept.get(id)
    return kept === undefined || kept.isCanceled ? 0 : Math.max(0, kept.endsAtMs - this.#nowMs())
  }

  /** Cancels a response in the background. Does nothing if the response has ended. */
  cancel(response: KeptResponse): void {
    const kept = this.#kept.get(response.id)
    if (kept !== undefined && this.remainingMs(response) > 0) kept.isCanceled = true
  }

  /** Deletes a response, and returns whether it existed. */
  delete(id: string): boolean {
    const found = this.#kept.get(id)
    if (found === undefined) return false
    this.#size -= found.size
    return this.#kept.delete(id)
  }
}

function sizeOf(background: BackgroundTexts | undefined): number {
  if (background === undefined) return 0
  const { canceled, events, running } = background
  return events.reduce((sum, event) => sum + event.length, canceled.length + running.length)
}

/** Maximum size of all responses, in characters of JSON. */
const sizeMax = 16 * 1024 * 1024
const countMax = 1_000
