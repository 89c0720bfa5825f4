import { outputBeyond } from '#money/continue-or-cut-stream.ts'
import { zeroUsage, type Usage } from '#money/usage-counts.ts'
import { withoutByteOrderMark, type ByteText } from '#wire/text/byte-text.ts'
import { byteTextOfBytes } from '#gateway/arrive/chunk-to-byte-text.ts'
import { usesAt } from '#gateway/decide/reject-unpriced-gemini-images.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import type { ReservedCall } from '#gateway/call/call-state-types.ts'
import { usedAsTold, type CallEnd, type Used } from './end-of-call-at-provider.ts'
import { declines } from './classify-provider-failure.ts'
import { type Chances, emptyAnswer, Relay } from './attempt-at-provider.ts'

/** No part of the response is written before the settle. */
export function relayNonStreaming(call: ReservedCall, chances: Chances): Promise<CallEnd> {
  return new Promise((resolve) => {
    new WholeRelay(call, chances, resolve).send()
  })
}

class WholeRelay extends Relay {
  #body: ByteText = ''
  #spent: Usage | null = null

  protected onAnswer(bytes: Uint8Array): boolean {
    this.#body += byteTextOfBytes(bytes)
    if (this.#body.length > this.call.ports.limits.responseBytesMax)
      this.abort(this.notAnAnswer('its response is too large'))
    return true
  }

  protected onAnswerEnd(): CallEnd {
    const body = withoutByteOrderMark(this.#body)
    const response = this.reserved.dispatch.readAnswer(body)
    if (!response) return this.refused(body, 'its response cannot be read')
    this.noteModel(response.answeredBy)
    if (response.runningId !== undefined)
      return { kind: 'background', used: null, responseId: response.runningId, rest: () => response.body }
    if (response.hasReportedUsage && !response.usage) this.warnOfUsage()
    const told = response.usage ?? this.#toldInHead(response)
    const own = (): Used => this.#estimated(response.outputTokens)
    const used = told ? usedAsTold(told, this.reserved.plan.quote, () => own().usage) : own()
    const isEmpty = response.outputTokens === 0 && response.hasNoOutput !== true && !declines(body)
    if (isEmpty && this.chances.hasAnother && !this.hasLeft) {
      this.#spent = used.usage
      return this.notAnAnswer(emptyAnswer)
    }
    const cached = response.cached && { cached: response.cached }
    return this.hasLeft
      ? { kind: 'left', used, ...cached }
      : { kind: 'answered', used, rest: response.bodyWith ?? (() => response.body), ...cached }
  }

  /**
   * Some providers report the usage only in headers. If a response has no output tokens, the header for input is
   * sufficient. The headers do not separate text tokens from image tokens, so the most expensive split is charged.
   */
  #toldInHead({ hasNoOutput, hasReportedUsage }: WholeAnswer): Usage | null {
    const { input, output } = this.tokensInHead
    if (hasReportedUsage || input === null || (hasNoOutput !== true && output === null)) return null
    const usage = { ...zeroUsage, input, output: hasNoOutput === true ? 0 : (output ?? 0) }
    return this.request.images === null ? usage : { ...usage, imageInput: input, isMediaWithin: true }
  }

  /**
   * The client disconnected before the response arrived. The provider has processed the input, and the output is
   * unknown.
   */
  protected counted(): Used {
    return this.#estimated(0)
  }

  protected usedWhenLeft(): Used {
    return this.counted()
  }

  protected spent(isGivenUp: boolean): Usage | null {
    return this.#spent ?? (isGivenUp ? this.#estimated(0).usage : null)
  }

  /** The client gets no part of an interrupted response, so nothing is charged. */
  protected usedWhenLost(): null {
    return null
  }

  #estimated(outputTokens: number): Used {
    const { told: upstreamOutputMax } = this.reserved.maximum
    const uses = usesAt(this.request, this.reserved.plan)
    // `outputTokens` estimates one token per three characters. A fifth of this estimate, one token per 15 characters,
    // is a certain minimum.
    const counts = { output: outputTokens, outputSure: Math.floor(outputTokens / 5), upstreamOutputMax }
    const beyond = outputBeyond(counts)
    const usage = {
      ...zeroUsage,
      ...(this.request.usualUses ?? uses),
      input: this.inputCount.tokens,
      // The hold covers image tokens separately, because the request's maximum does not limit them.
      output: Math.min(outputTokens, upstreamOutputMax ?? outputTokens) + (uses?.imageOutput ?? 0),
      ...(beyond > 0 && { outputBeyond: beyond }),
    }
    return { usage, tokenSource: 'estimated', isInputOurs: true }
  }
}
