import type { Failure } from '#domain/errors.ts'
import { hasOwnModelNames, isAnotherModel } from '#domain/accounts/is-other-model-than-requested.ts'
import type { Deadlines } from '#domain/calls/call-deadlines.ts'
import { cachedRequestOf } from '#gateway/call/use-of-cached-contents.ts'
import type {
  UpstreamCall,
  UpstreamFailure,
  UpstreamHeaders,
  UpstreamSink,
} from '#domain/provider-upstream-interface.ts'
import type { Usage } from '#money/usage-counts.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { providerHeaders } from './headers-sent-to-provider.ts'
import { byteTextOfBytes } from '#gateway/arrive/chunk-to-byte-text.ts'
import type { Reserved, ReservedCall } from '#gateway/call/call-state-types.ts'
import { ownSearchTokens, withOwnSearches } from '#gateway/call/apply-provider-tool-rules.ts'
import { errorInBody } from '#wire/read-provider-error.ts'
import { HangUp } from './read-on-after-client-disconnect.ts'
import { endWithInput, type CallEnd, type Used } from './end-of-call-at-provider.ts'
import { InputCount } from './estimate-input-tokens.ts'
import { withRequestedTier } from './tier-if-not-reported.ts'
import { connectionFault, failureOfConnection } from './failure-of-provider-connection.ts'
import {
  failureOfError,
  failureOfStatus,
  upstreamError,
  type Hearing,
} from './failure-with-provider-error.ts'

/** How long a provider may take to end the connection after a complete response. */
export const closingMs = 2_000

/** If no other target remains, the client gets the empty response unchanged. */
export const emptyAnswer = 'its response is empty'

const statedModelMax = 200

/** Maximum number of bytes of an error body that are kept. */
export const errorBytesMax = 64 * 1024

export interface Chances {
  readonly hasAnother: boolean
  /**
   * Whether another attempt may follow, at this target or another. If another attempt may follow, the client
   * receives nothing until the response contains its first text.
   */
  readonly mayFollow: boolean
  /** Deadlines that differ from the gateway's own. Null if no deadlines differ. */
  readonly deadlines: Partial<Deadlines> | null
}

export type Resolve = (end: CallEnd | Promise<CallEnd>) => void

/**
 * Non-streaming responses and streams share this code for sending, error statuses, lost connections and disconnects.
 */
export abstract class Relay implements UpstreamSink {
  protected readonly call: ReservedCall
  protected readonly request: WireRequest
  protected readonly reserved: Reserved
  protected readonly chances: Chances
  /** The gateway's own count of the input, in case the provider reports no usage. */
  protected readonly inputCount: InputCount
  protected isOver = false
  protected upstream: UpstreamCall | null = null
  readonly #sentAtMs: number
  readonly #resolve: Resolve
  #hangUp: HangUp | null = null
  #closing: NodeJS.Timeout | null = null
  #connectedAtMs: number | null = null
  #headAtMs: number | null = null
  #status = 0
  #headers: UpstreamHeaders | null = null
  #error: ByteText = ''

  constructor(call: ReservedCall, chances: Chances, resolve: Resolve) {
    const { request, reserved } = call
    this.call = call
    this.request = request
    this.reserved = reserved
    this.chances = chances
    this.#resolve = resolve
    const { audioTokens, imageTokens, textTokens } = reserved.hold.bound
    const tokensMax = textTokens + audioTokens + imageTokens
    this.inputCount = new InputCount(request, reserved.plan, tokensMax, call.ports.tokens)
    this.#sentAtMs = call.ports.clock.monotonicMs()
  }

  /**
   * Returns the end of the attempt with the usage to charge. The result is a promise only if a tokenizer must count the
   * input, because the provider did not report it.
   */
  protected completed(end: CallEnd): CallEnd | Promise<CallEnd> {
    const { hold, plan } = this.reserved
    const { used } = end
    if (used === null) return end
    const usage = this.#withTier(withOwnSearches(used, plan, hold.bound))
    const searched = usage === used.usage ? end : { ...end, used: { ...used, usage } }
    if (!used.isInputOurs) return searched
    // The tokenizer counts only the request, not the pages that searches add.
    const added = ownSearchTokens(plan, hold.bound)
    return this.inputCount.count().then(() => endWithInput(searched, this.inputCount.tokens + added))
  }

  protected abstract counted(): Used
  /** Handles a piece of a successful response. Return false to pause the response until `upstream.resume` is called. */
  protected abstract onAnswer(bytes: Uint8Array): boolean
  protected abstract onAnswerEnd(): CallEnd
  /**
   * Returns the usage of a response that the client did not receive. If the provider reported no usage, the result is
   * the number of tokens that arrived. Null if the usage is unknown.
   * @param isGivenUp whether a deadline passed after the headers of a successful response arrived, so that the model
   *   has read the input
   */
  protected abstract spent(isGivenUp: boolean): Usage | null
  protected abstract usedWhenLeft(): Used
  protected abstract usedWhenLost(): Used | null

  send(): void {
    const { plan, dispatch, maximum } = this.reserved
    const isSameWire = dispatch.wire === this.request.wire
    const toolUsesMax = this.reserved.hold.bound.tools?.usesMax ?? null
    const { ports, response } = this.call
    if (response.destroyed) {
      // If the client disconnected during the reserve, nothing is sent and nothing is charged.
      this.#noteLeft()
      this.over({ kind: 'left', used: null })
      return
    }
    response.once('close', this.#onClose)
    this.upstream = ports.upstream.send(
      {
        account: plan.account,
        model: plan.target.model,
        wire: dispatch.wire,
        purpose: 'answer',
        cached: cachedRequestOf(this.request),
        body: dispatch.body(plan.target.model, maximum.imposed, toolUsesMax),
        isStream: this.request.isStream,
        headers: providerHeaders(this.call, isSameWire),
        query: isSameWire ? this.call.route.query : '',
        version: this.call.route.path.version,
        contentType: this.request.contentType,
        callId: this.call.id,
        deadlines: this.#deadlines,
      },
      this,
    )
    // Abort the request if the attempt ended before `send` returned.
    if (this.isOver) this.upstream.abort()
  }

  onConnected(): void {
    this.#connectedAtMs = this.call.ports.clock.monotonicMs()
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    this.#headAtMs = this.call.ports.clock.monotonicMs()
    this.#status = status
    this.#headers = headers
  }

  onData(bytes: Uint8Array): boolean {
    if (this.isOver) return true
    if (this.#hangUp && !this.#hangUp.take(bytes.length)) {
      this.#leave()
      return true
    }
    if (this.#isGood) return this.onAnswer(bytes)
    this.#error += byteTextOfBytes(bytes)
    if (this.#error.length > errorBytesMax) this.abort(this.#refusal())
    return true
  }

  onEnd(): void {
    if (this.#closing) clearTimeout(this.#closing)
    if (this.isOver) return
    this.over(this.#isGood ? this.onAnswerEnd() : this.#refusal())
  }

  onFailure(failure: UpstreamFailure): void {
    if (this.#closing) clearTimeout(this.#closing)
    if (this.isOver) return
    this.warn({ phase: failure.phase, err: failure.cause }, 'provider request failed')
    const used = this.usedWhenLost()
    this.over(
      this.hasLeft
        ? { kind: 'left', used: used ?? this.counted() }
        : this.failed(
            failureOfConnection(failure, this.#deadlines, this.reserved.plan),
            used,
            failure.isTimeout && this.#isGood,
          ),
      failure,
    )
  }

  /**
   * Ends the attempt when the response is complete, although the provider connection is still open. The connection gets
   * a moment to end by itself, so that it can be reused without a new handshake.
   */
  protected finish(end: CallEnd): void {
    if (this.isOver) return
    this.#closing = setTimeout(() => this.upstream?.abort(), closingMs).unref()
    this.over(end)
  }

  protected abort(end: CallEnd): void {
    if (this.isOver) return
    this.upstream?.abort()
    this.over(end)
  }

  protected over(end: CallEnd, failure: UpstreamFailure | null = null): void {
    this.isOver = true
    this.#hangUp?.end()
    this.call.response.off('close', this.#onClose)
    const { account, target } = this.reserved.plan
    const { deadlines } = this.chances
    this.call.attempts.push({
      provider: target.provider,
      account: target.accountId,
      model: target.model,
      status: this.#status === 0 ? null : this.#status,
      failure: failure?.phase ?? null,
      durationMs: Math.round(this.call.ports.clock.monotonicMs() - this.#sentAtMs),
      atMs: Math.round(this.#sentAtMs - this.call.startedMonotonicMs),
      connectMs: this.#sinceSent(this.#connectedAtMs),
      firstByteMs: this.#sinceSent(this.#headAtMs),
      ...(deadlines && { deadlines }),
      ...(end.kind === 'failed' && { code: end.failure.code }),
      ...(failure && { fault: connectionFault(account, failure) }),
    })
    this.#resolve(this.completed(end))
  }

  /**
   * @param used the usage of the part of a response that the client has received; null if it has received nothing
   * @param isGivenUp whether a deadline passed after the headers of a successful response arrived
   */
  protected failed(failure: Failure, used: Used | null = null, isGivenUp = false): CallEnd {
    const spent = used === null ? this.spent(isGivenUp) : null
    return { kind: 'failed', failure, used, spent: spent && this.#withTier(spent) }
  }

  #withTier(usage: Usage): Usage {
    return withRequestedTier(usage, this.request, this.reserved)
  }

  /** Nothing is charged for a response that cannot be read. */
  protected notAnAnswer(reason: string): CallEnd {
    return this.failed(upstreamError(reason, this.reserved.plan))
  }

  /**
   * Returns the failure for an error in a response with status 200, or for a response that cannot be read. An
   * unreadable response is often an error page of an intermediate server.
   */
  protected refused(body: ByteText, otherwise: string): CallEnd {
    const error = errorInBody(body)
    if (error === null) return this.notAnAnswer(otherwise)
    return this.failed(failureOfError(error, this.hearing))
  }

  protected warnOfUsage(): void {
    this.warn({}, 'provider reported impossible usage; the gateway counted the tokens instead')
  }

  protected warn(fields: object, message: string): void {
    const { account } = this.reserved.plan
    const about = { requestId: this.call.id, account: account.id, ...fields }
    this.call.ports.warnOfCall(account.organizationId, about, message)
  }

  protected noteModel(stated: string | null | undefined): void {
    const { account, target } = this.reserved.plan
    const isOther =
      stated !== null &&
      stated !== undefined &&
      !hasOwnModelNames(account) &&
      isAnotherModel(target.model, stated)
    this.call.answeredBy = isOther ? stated.replaceAll(/\p{Cc}/gu, '').slice(0, statedModelMax) : null
  }

  /**
   * Whether the connection to the provider is closed as soon as the client disconnects. Some vendors stop billing a
   * stream when the connection closes. All vendors generate and bill a non-streaming response even if no client waits
   * for the response (docs/decisions/2026-11-23-clients-that-disconnect.md).
   */
  protected get mayLeave(): boolean {
    return this.request.isStream && this.reserved.plan.onClientLeft === 'cut'
  }

  /** Whether the client has disconnected. The rest of the response is then read only to learn the usage. */
  protected get hasLeft(): boolean {
    return this.#hangUp !== null
  }

  /** The facts that are needed to remove secrets from the provider's error text. */
  protected get hearing(): Hearing {
    const { dispatch, plan } = this.reserved
    const { request } = this
    return { ports: this.call.ports, plan, isSameWire: dispatch.wire === request.wire, request }
  }

  protected get contentType(): string {
    return this.#headers?.contentType ?? ''
  }

  /** The token counts in the response headers. Null for a count that no header reports. */
  protected get tokensInHead(): { readonly input: number | null; readonly output: number | null } {
    return { input: this.#headers?.inputTokens ?? null, output: this.#headers?.outputTokens ?? null }
  }

  get #deadlines(): Deadlines {
    const { deadlines } = this.call.ports.limits
    const own = this.chances.deadlines
    return own === null ? deadlines : { ...deadlines, ...own }
  }

  #sinceSent(atMs: number | null): number | null {
    return atMs === null ? null : Math.round(atMs - this.#sentAtMs)
  }

  get #isGood(): boolean {
    return this.#status >= 200 && this.#status < 300
  }

  #refusal(): CallEnd {
    const retryAfterSeconds = this.#headers?.retryAfterSeconds ?? null
    const failure = failureOfStatus(this.#status, retryAfterSeconds, this.#error, this.hearing)
    return this.hasLeft ? { kind: 'left', used: null } : this.failed(failure)
  }

  readonly #onClose = (): void => {
    if (this.isOver || this.#hangUp) return
    this.#noteLeft()
    const { drains, limits } = this.call.ports
    this.#hangUp = new HangUp(drains, limits, this.reserved.plan.account.organizationId)
    if (this.mayLeave) return this.#leave()
    this.#hangUp.begin(() => this.#leave())
    // Resume the provider connection, which may have been paused for a slow client.
    this.upstream?.resume()
  }

  #noteLeft(): void {
    const { ports, startedMonotonicMs } = this.call
    this.call.leftAtMs = Math.round(ports.clock.monotonicMs() - startedMonotonicMs)
  }

  #leave(): void {
    this.abort({ kind: 'left', used: this.usedWhenLeft() })
  }
}
