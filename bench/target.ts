/** What is put under load: the provider itself, the floor, or the gateway, all speaking chat completions. */
export interface Target {
  readonly name: string
  /** Where `/v1/chat/completions` is. */
  readonly url: string
  /** The process whose CPU and memory are read; null for the provider, whose cost is nobody's question. */
  readonly pid: number | null
  /** One credential for each end user; calls go round them, so that nobody is hot. */
  readonly keys: readonly string[]
  modelName(scenario: Scenario): string
  /** Calls answered so far, kept by the load driver and compared with the provider and the ledger. */
  readonly answered: { calls: number }
}

/** One kind of call. `upstreamModel` tells the fake provider what to answer. */
export interface Scenario {
  readonly upstreamModel: string
  readonly isStream: boolean
  /** Events of one stream: role, content chunks, finish, usage and `[DONE]`; 0 for JSON. */
  readonly events: number
  /** Nobody waits for its end, so nobody can know what a whole answer looks like. */
  readonly isEndless: boolean
}

export const jsonCall: Scenario = {
  upstreamModel: 'fake-json',
  isStream: false,
  events: 0,
  isEndless: false,
}

/** @param delayMs between two chunks; 0 sends them all in one go */
export function streamCall({ chunks, delayMs }: { chunks: number; delayMs: number }): Scenario {
  return {
    upstreamModel: `fake-chunks-${chunks}-delay-${delayMs}`,
    isStream: true,
    events: chunks + 4,
    isEndless: false,
  }
}

/** The body of a call: a system text and a question, about 600 bytes. */
export function callBody(model: string, scenario: Scenario): string {
  return JSON.stringify({
    model,
    messages: [
      {
        role: 'system',
        content:
          'You help the customers of a small shop that sells bicycles, spare parts and repairs. Answer in ' +
          'short sentences, never promise a delivery date, and ask for the order number when it is missing.',
      },
      {
        role: 'user',
        content:
          'My order came without the rear light and the box was open on one side. What should I send you so ' +
          'that you can look into it, and can I keep the rest of the order until the light arrives?',
      },
    ],
    temperature: 0.7,
    max_tokens: 1000,
    ...(scenario.isStream ? { stream: true, stream_options: { include_usage: true } } : {}),
  })
}
