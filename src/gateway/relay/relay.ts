import type { UpstreamCall, UpstreamFailure, UpstreamHeaders, UpstreamSink } from '#domain/upstream.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { WireRequest } from '#wire/request.ts'
import { forwardedHeaders } from '#gateway/arrive/forwarded-headers.ts'
import { byteTextOfBytes } from '#gateway/arrive/byte-text.ts'
import { HangUp } from './hang-up.ts'
import type { CallEnd, Used } from '#gateway/end/call-end.ts'
import type { Call, Reserved } from '#gateway/open-call.ts'
import { connectionFault, failureOfConnection } from './connection-failure.ts'
import { errorIn, failureOfError, failureOfStatus, upstreamError, type Hearing } from './upstream-failure.ts'

/** How long a provider may take to close an answer that is complete. */
export const closingMs = 2_000

/** Of an error's body; more than this says nothing more. */
export const errorBytesMax = 64 * 1024

/**
 * One try at a provider, from the bytes sent to the one end it resolves with. What is the same for
 * whole answers and streams is here: sending, error statuses, lost connections, the client that leaves.
 */
export abstract class Relay implements UpstreamSink {
  protected readonly call: Call
  protected readonly request: WireRequest
  protected readonly reserved: Reserved
  protected isOver = false
  protected upstream: UpstreamCall | null = null
  readonly #sentAtMs: number
  readonly #resolve: (end: CallEnd) => void
  #hangUp: HangUp | null = null
  #closing: NodeJS.Timeout | null = null
  #status = 0
  #headers: UpstreamHeaders | null = null
  /** The body of an error status, as far as it is of use. */
  #error: ByteText = ''

  constructor(call: Call, request: WireRequest, reserved: Reserved, resolve: (end: CallEnd) => void) {
    this.call = call
    this.request = request
    this.reserved = reserved
    this.#resolve = resolve
    this.#sentAtMs = call.ports.clock.monotonicMs()
  }

  /** What the call costs by our own count, as far as it has come. */
  protected abstract counted(): Used
  /** A piece of a good answer. False to be paused until `upstream.resume`. */
  protected abstract onAnswer(bytes: Uint8Array): boolean
  /** The good answer has ended. */
  protected abstract onAnswerEnd(): CallEnd
  /** What is charged when the connection was lost. */
  protected abstract usedWhenLost(): Used | null

  send(): void {
    const { plan, dispatch, maximum } = this.reserved
    const isSameWire = dispatch.wire === this.request.wire
    const { ports, response } = this.call
    if (response.destroyed) {
      // Reserved for a client that has left meanwhile: nothing is sent, so nothing is owed.
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
        // They say how a body of the client's wire is meant, and mean nothing beside another.
        headers: isSameWire ? forwardedHeaders(this.call) : [],
        query: isSameWire ? this.call.route.query : '',
        callId: this.call.id,
        deadlines: ports.limits.deadlines,
      },
      this,
    )
    // An adapter may have ended the call before it had anything to return.
    if (this.isOver) this.upstream.abort()
  }

  onHead(status: number, headers: UpstreamHeaders): void {
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
      'a provider failed',
    )
    const used = this.usedWhenLost()
    this.over(
      this.hasLeft
        ? { kind: 'left', used: used ?? this.counted() }
        : {
            kind: 'failed',
            failure: failureOfConnection(failure, ports.limits.deadlines, this.reserved.plan),
            used,
          },
      failure,
    )
  }

  /**
   * The provider has said its last word, though its answer has not closed yet. The call ends here; the
   * connection is given the moment it needs to close by itself, since a cut one costs the next call a
   * new handshake.
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
    this.call.attempts.push({
      provider: target.provider,
      account: target.accountId,
      status: this.#status === 0 ? null : this.#status,
      failure: failure?.phase ?? null,
      durationMs: Math.round(this.call.ports.clock.monotonicMs() - this.#sentAtMs),
      ...(failure && { fault: connectionFault(account, failure) }),
    })
    this.#resolve(end)
  }

  /** An answer that is not one: nothing is charged for it. */
  protected notAnAnswer(reason: string): CallEnd {
    return { kind: 'failed', failure: upstreamError(reason, this.reserved.plan), used: null }
  }

  /** What cannot be read as an answer is often an error, of a server behind the one that was asked. */
  protected refused(body: ByteText, otherwise: string): CallEnd {
    const error = errorIn(body)
    if (error === null) return this.notAnAnswer(otherwise)
    return { kind: 'failed', failure: failureOfError(error, this.hearing), used: null }
  }

  protected warnOfUsage(): void {
    const { plan } = this.reserved
    this.call.ports.log.warn(
      { requestId: this.call.id, account: plan.account.id },
      'a provider reported a usage that cannot be; it was counted here instead',
    )
  }

  /** The client is gone, and the provider is only read on for its usage. */
  protected get hasLeft(): boolean {
    return this.#hangUp !== null
  }

  /** With what the provider's words are cleaned. */
  protected get hearing(): Hearing {
    const { dispatch, plan } = this.reserved
    return { ports: this.call.ports, plan, isSameWire: dispatch.wire === this.request.wire }
  }

  protected get contentType(): string {
    return this.#headers?.contentType ?? ''
  }

  get #isGood(): boolean {
    return this.#status >= 200 && this.#status < 300
  }

  #refusal(): CallEnd {
    const retryAfterSeconds = this.#headers?.retryAfterSeconds ?? null
    const failure = failureOfStatus(this.#status, retryAfterSeconds, this.#error, this.hearing)
    return this.hasLeft ? { kind: 'left', used: null } : { kind: 'failed', failure, used: null }
  }

  readonly #onClose = (): void => {
    if (this.isOver || this.#hangUp) return
    const { ports } = this.call
    this.#hangUp = new HangUp(ports)
    this.#hangUp.begin(() => this.#leave())
    // What waited for the client to read waits no more.
    this.upstream?.resume()
  }

  #leave(): void {
    this.abort({ kind: 'left', used: this.counted() })
  }
}
