import type { JsonObject } from './read-values-of-any-shape.ts'
import { KeptCaches } from './cached-contents-in-memory.ts'
import { KeptBatches } from './batches-in-memory.ts'
import { KeptConversations } from './conversations-in-memory.ts'
import { KeptFiles } from './files-in-memory.ts'

export interface KeptResponse {
  readonly id: string
  /** The output and the input of the response, and the conversation of the responses before it. */
  readonly items: readonly JsonObject[]
  readonly inputCount: number
  readonly text: string
  readonly background?: BackgroundTexts
}

export interface BackgroundTexts {
  readonly running: string
  readonly canceled: string
  /** The position of an event is its sequence number. */
  readonly events: readonly string[]
  /** Infinite if the response never ends by itself. */
  readonly durationMs: number
}

interface Kept {
  readonly response: KeptResponse
  readonly size: number
  readonly endsAtMs: number
  isCanceled: boolean
}

/**
 * Responses of this process only, which are lost when it restarts. When the memory is full, the oldest response is
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
    // Each response counts the whole conversation, although responses share the items in memory.
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

  textOf(response: KeptResponse): string {
    const { background, id, text } = response
    if (background === undefined) return text
    if (this.#kept.get(id)?.isCanceled === true) return background.canceled
    return this.remainingMs(response) > 0 ? background.running : text
  }

  /** 0 if the response has ended. */
  remainingMs({ id }: KeptResponse): number {
    const kept = this.#kept.get(id)
    return kept === undefined || kept.isCanceled ? 0 : Math.max(0, kept.endsAtMs - this.#nowMs())
  }

  /** A response that has ended is unchanged. */
  cancel(response: KeptResponse): void {
    const kept = this.#kept.get(response.id)
    if (kept !== undefined && this.remainingMs(response) > 0) kept.isCanceled = true
  }

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
