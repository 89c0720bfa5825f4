import type { Failure } from '#domain/errors.ts'
import { hasOwnModelNames, isAnotherModel } from '#domain/answering-model.ts'
import type { Deadlines } from '#domain/deadlines.ts'
import type { UpstreamCall, UpstreamFailure, UpstreamHeaders, UpstreamSink } from '#domain/upstream.ts'
import type { Usage } from '#money/usage.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { providerHeaders } from '#gateway/arrive/forwarded-headers.ts'
import { byteTextOfBytes } from '#gateway/arrive/byte-text.ts'
import { HangUp } from './client-hang-up.ts'
import { endWithInput, type CallEnd, type Used } from '#gateway/end/call-end.ts'
import { InputCount } from '#gateway/end/count-input.ts'
import type { Call, Reserved } from '#gateway/open-call.ts'
import { connectionFault, failureOfConnection } from './connection-failure.ts'
import { errorInBody } from '#wire/provider-error.ts'
import { failureOfError, failureOfStatus, upstreamError, type Hearing } from './upstream-failure.ts'

/** How long a provider may take to close a complete answer. */
export const closingMs = 2_000

/** Of an answer in which nothing was written; where no other target is left, the client gets it as it is. */
export const emptyAnswer = 'its answer is empty'

/** Characters kept of a model's name in an answer. */
const statedModelMax = 200

/** Bytes kept of an error's body; the rest adds nothing. */
export const errorBytesMax = 64 * 1024

/** What may follow an attempt, and how long it may take. */
export interface Chances {
  /** Another target may answer if this one does not. */
  readonly hasAnother: boolean
  /** Another attempt may follow, at this target or at another: nothing is shown of an answer before its first text. */
  readonly mayFollow: boolean
  /** Deadlines that differ from the gateway's own; null: none. */
  readonly deadlines: Partial<Deadlines> | null
}

/**
 * One try at a provider, from the request to the one end it resolves with. It has what whole answers and streams
 * share: sending, error statuses, lost connections, the client that leaves.
 */
export abstract class Relay implements UpstreamSink {
  protected readonly call: Call
  protected readonly request: WireRequest
  protected readonly reserved: Reserved
  protected readonly chances: Chances
  /** The gateway's own count of the input, for a provider that reports none. */
  protected readonly inputCount: InputCount
  protected isOver = false
  protected upstream: UpstreamCall | null = null
  readonly #sentAtMs: number
  readonly #resolve: (end: CallEnd) => void
  #hangUp: HangUp | null = null
  #closing: NodeJS.Timeout | null = null
  #connectedAtMs: number | null = null
  #headAtMs: number | null = null
  #status = 0
  #headers: UpstreamHeaders | null = null
  /** The kept part of an error's body. */
  #error: ByteText = ''

  constructor(
    call: Call,
    request: WireRequest,
    reserved: Reserved,
    chances: Chances,
    resolve: (end: CallEnd) => void,
  ) {
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

  /** The end of the attempt, once a tokenizer has counted what the provider has not. */
  async counting(end: CallEnd): Promise<CallEnd> {
    if (end.used?.isInputOurs !== true) return end
    await this.inputCount.count()
    return endWithInput(end, this.inputCount.tokens)
  }

  /** The gateway's own count so far. */
  protected abstract counted(): Used
  /** A piece of a good answer. False pauses until `upstream.resume`. */
  protected abstract onAnswer(bytes: Uint8Array): boolean
  /** The good answer has ended. */
  protected abstract onAnswerEnd(): CallEnd
  /**
   * What the provider did for an answer that nobody saw, as far as it says so or tokens came; null: nothing known.
   * @param isGivenUp a deadline passed after the head of a good answer: the model has read the input
   */
  protected abstract spent(isGivenUp: boolean): Usage | null
  /** The usage to charge for a client that left, once the provider is cut off. */
  protected abstract usedWhenLeft(): Used
  /** The usage to charge for a lost connection. */
  protected abstract usedWhenLost(): Used | null

  send(): void {
    const { plan, dispatch, maximum } = this.reserved
    const isSameWire = dispatch.wire === this.request.wire
    const { ports, response } = this.call
    if (response.destroyed) {
      // The client left during the reserve: nothing is sent, so nothing is owed.
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
        body: Buffer.from(dispatch.body(plan.target.model, maximum.imposed), 'latin1'),
        isStream: this.request.isStream,
        headers: providerHeaders(this.call, isSameWire),
        query: isSameWire ? this.call.route.query : '',
        callId: this.call.id,
        deadlines: this.#deadlines,
      },
      this,
    )
    // An adapter may have ended the call before it returned.
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
    const { ports } = this.call
    ports.log.warn(
      {
        requestId: this.call.id,
        account: this.reserved.plan.account.id,
        phase: failure.phase,
        err: failure.cause,
      },
      'the call to a provider failed',
    )
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
   * The provider's answer is complete, though it has not closed yet. The call ends here; the connection gets the
   * moment it needs to close by itself, since cutting it costs the next call a new handshake.
   */
  protected finish(end: CallEnd): void {
    if (this.isOver) return
    this.#closing = setTimeout(() => this.upstream?.abort(), closingMs).unref()
    this.over(end)
  }

  /** Cuts the provider off and ends the call so. */
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
    this.#resolve(end)
  }

  /**
   * @param used what the client has seen of an answer; null: nothing
   * @param isGivenUp as of `spent`
   */
  protected failed(failure: Failure, used: Used | null = null, isGivenUp = false): CallEnd {
    return { kind: 'failed', failure, used, spent: used === null ? this.spent(isGivenUp) : null }
  }

  /** An answer that cannot be read; nothing is charged for it. */
  protected notAnAnswer(reason: string): CallEnd {
    return this.failed(upstreamError(reason, this.reserved.plan))
  }

  /** An unreadable answer is often an error of a server behind the provider. */
  protected refused(body: ByteText, otherwise: string): CallEnd {
    const error = errorInBody(body)
    if (error === null) return this.notAnAnswer(otherwise)
    return this.failed(failureOfError(error, this.hearing))
  }

  protected warnOfUsage(): void {
    const { plan } = this.reserved
    this.call.ports.log.warn(
      { requestId: this.call.id, account: plan.account.id },
      'a provider reported an impossible usage; the gateway counted instead',
    )
  }

  /** Keeps the name that the answer states for its model, if it is another model than the requested one. */
  protected noteModel(stated: string | null | undefined): void {
    const { account, target } = this.reserved.plan
    const isOther =
      stated !== null &&
      stated !== undefined &&
      !hasOwnModelNames(account.baseUrl) &&
      isAnotherModel(target.model, stated)
    this.call.answeredBy = isOther ? stated.replaceAll(/\p{Cc}/gu, '').slice(0, statedModelMax) : null
  }

  /** The client is gone, and the provider is read on only for its usage. */
  protected get hasLeft(): boolean {
    return this.#hangUp !== null
  }

  /** Cleans the provider's words. */
  protected get hearing(): Hearing {
    const { dispatch, plan } = this.reserved
    return { ports: this.call.ports, plan, isSameWire: dispatch.wire === this.request.wire }
  }

  protected get contentType(): string {
    return this.#headers?.contentType ?? ''
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
    this.#hangUp = new HangUp(this.call.ports)
    // Vendors that stop the bill with the connection do so for streams alone: a whole answer is made and billed
    // although nobody waits for it (docs/decisions/2026-11-23-clients-that-leave.md).
    if (this.request.isStream && this.reserved.plan.onClientLeft === 'cut') return this.#leave()
    this.#hangUp.begin(() => this.#leave())
    // The connection no longer waits for the client to read.
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
