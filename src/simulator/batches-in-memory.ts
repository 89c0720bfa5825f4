import type { JsonObject } from './read-values-of-any-shape.ts'

export interface KeptRequest {
  readonly customId: string
  readonly status: number
  readonly text: string
  /** Infinite if the request never ends by itself. */
  readonly durationMs: number
}

export interface KeptBatch {
  readonly id: string
  readonly requests: readonly KeptRequest[]
  readonly createdAtMs: number
  /** Fields of the request that OpenAI's batch object repeats. Null for a batch of Anthropic. */
  readonly told: JsonObject | null
  canceledAtMs: number | null
  /** For a batch of OpenAI: whether the files with the results exist. */
  isFiled: boolean
}

/**
 * Batches of this process only, which are lost when it restarts. When the memory is full, the oldest batch is dropped.
 */
export class KeptBatches {
  readonly #kept = new Map<string, KeptBatch>()
  readonly #nowMs: () => number
  #size = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  keep(id: string, requests: readonly KeptRequest[], told: JsonObject | null): KeptBatch {
    const batch = { id, requests, createdAtMs: this.#nowMs(), told, canceledAtMs: null, isFiled: false }
    this.#kept.set(id, batch)
    this.#size += sizeOf(batch)
    for (const [oldest] of this.#kept) {
      if (this.#size <= sizeMax || oldest === id) break
      this.delete(oldest)
    }
    return batch
  }

  find(id: string): KeptBatch | null {
    return this.#kept.get(id) ?? null
  }

  delete(id: string): void {
    const found = this.#kept.get(id)
    if (found === undefined) return
    this.#size -= sizeOf(found)
    this.#kept.delete(id)
  }

  /** Requests that have ended are unchanged. */
  cancel(batch: KeptBatch): void {
    if (!this.hasEnded(batch)) batch.canceledAtMs = this.#nowMs()
  }

  hasEnded(batch: KeptBatch): boolean {
    return batch.canceledAtMs !== null || this.#nowMs() >= endOf(batch)
  }
}

/** Maximum size of all batches, in characters of JSON. */
const sizeMax = 32 * 1024 * 1024

function sizeOf({ requests }: KeptBatch): number {
  return requests.reduce((sum, { customId, text }) => sum + customId.length + text.length, 0)
}

export function endOf({ createdAtMs, requests }: KeptBatch): number {
  return createdAtMs + Math.max(...requests.map(({ durationMs }) => durationMs))
}
