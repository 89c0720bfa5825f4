import { ZERO_USAGE } from '#money/usage.ts'
import type { ChatRequest } from '#wire/chat/request.ts'
import { readChatResponse } from '#wire/chat/response.ts'
import type { Call } from './open-call.ts'
import type { Outcome, Used } from './outcome.ts'
import { Relay } from './relay.ts'
import type { Reserved } from './open-call.ts'

/** Calls the provider and reads its whole answer; nothing of it is written before the settle. */
export function relayWhole(call: Call, request: ChatRequest, reserved: Reserved): Promise<Outcome> {
  return new Promise((resolve) => new WholeRelay(call, request, reserved, resolve).send())
}

class WholeRelay extends Relay {
  #pieces: Buffer[] = []
  #length = 0

  protected onAnswer(bytes: Uint8Array): boolean {
    this.#length += bytes.length
    if (this.#length > this.call.ports.limits.responseBytesMax) {
      this.abort(this.notAnAnswer('its answer is too large'))
      return true
    }
    // A copy: the bytes are the connection's own and may be written over.
    this.#pieces.push(Buffer.from(bytes))
    return true
  }

  protected onAnswerEnd(): Outcome {
    const first = this.#pieces[0]
    const body = this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces, this.#length)
    const response = readChatResponse(body, this.request.model)
    if (!response) return this.notAnAnswer('its answer is not a chat completion')
    if (response.hasReportedUsage && !response.usage) this.warnOfUsage()
    const used: Used = response.usage
      ? { usage: response.usage, tokenSource: 'provider_reported' }
      : this.#estimated(response.outputTokens)
    return this.hangUp.hasLeft ? { kind: 'left', used } : { kind: 'answered', used, rest: response.body }
  }

  /** The client left before the answer came: the input was worked on; of output, none was seen. */
  protected counted(): Used {
    return this.#estimated(0)
  }

  /** Nothing of a cut answer reaches the client, and nothing of it is charged. */
  protected usedWhenLost(): null {
    return null
  }

  #estimated(outputTokens: number): Used {
    const output = Math.min(outputTokens, this.reserved.upstreamOutputMax ?? outputTokens)
    return { usage: { ...ZERO_USAGE, input: this.request.inputEstimate, output }, tokenSource: 'estimated' }
  }
}
