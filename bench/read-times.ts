import { get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Repeats a read until the measurement ends, with a pause after each response. A stall delays all later reads, so it
 * counts as one slow read. Percentiles can therefore hide a stall, but the longest time cannot.
 */
export class ReadTimes {
  readonly #seenMs: number[] = []
  readonly #reading: Promise<void>
  #isEnding = false

  constructor(pauseMs: number, read: () => Promise<unknown>) {
    this.#reading = this.#repeat(pauseMs, read)
  }

  async ended(): Promise<readonly number[]> {
    this.#isEnding = true
    await this.#reading
    return this.#seenMs
  }

  async #repeat(pauseMs: number, read: () => Promise<unknown>): Promise<void> {
    while (!this.#isEnding) {
      const sentMs = performance.now()
      await read()
      this.#seenMs.push(performance.now() - sentMs)
      await wait(pauseMs)
    }
  }
}

/** Opens a connection for each read, like the probe of a supervisor. */
export function readHealth(baseUrl: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(`${baseUrl}/health`, { agent: false }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 200) resolve()
        else reject(new Error(`/health answered ${response.statusCode}`))
      })
    }).once('error', reject)
  })
}
