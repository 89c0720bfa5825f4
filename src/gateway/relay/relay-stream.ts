import { Failure, messageOf } from '#domain/errors.ts'
import { idOf } from '#domain/id.ts'
import type { UpstreamFailure } from '#domain/upstream.ts'
import { withoutOutput, type Usage } from '#money/usage.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { AnswerStream } from '#wire/stream/answer-stream.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { writeHead } from './response-head.ts'
import { byteTextOfBytes } from '#gateway/arrive/byte-text.ts'
import type { Call, Reserved } from '#gateway/open-call.ts'
import { Meter } from './stream-meter.ts'
import { usedAsTold, type CallEnd, type Used } from '#gateway/end/call-end.ts'
import { declines } from './move-on.ts'
import { closingMs, emptyAnswer, errorBytesMax, Relay } from './relay-base.ts'
import { failureOfError, providerOf, upstreamError } from './upstream-failure.ts'

/** Calls the provider and passes its stream on, metered, all but the end. */
export async function relayStream(
  call: Call,
  request: WireRequest,
  reserved: Reserved,
  hasAnother: boolean,
): Promise<CallEnd> {
  const { promise, resolve } = Promise.withResolvers<CallEnd>()
  const relay = new StreamRelay(call, request, reserved, hasAnother, resolve)
  relay.send()
  const end = await relay.counting(await promise)
  await relay.meter.catchUp(end.used)
  return end
}

/** The end of an answer, with its finish, is shorter. */
const unseenBytesMax = 64 * 1024

const notAStream = 'it answered a stream with something else'

class StreamRelay extends Relay {
  readonly meter: Meter
  readonly #stream: AnswerStream
  /**
   * What stands before the first text of an answer (`message_start`, `response.created`, a role): while another target
   * may still take its place, the client gets none of it.
   */
  #preamble: ByteText = ''
  /** The last of what the provider said while the client had nothing. */
  #unseen: ByteText = ''
  /** Bytes that are no stream. */
  #other: ByteText = ''
  #bytes = 0
  #stallTimer: NodeJS.Timeout | null = null
  #failingTimer: NodeJS.Timeout | null = null

  constructor(
    call: Call,
    request: WireRequest,
    reserved: Reserved,
    hasAnother: boolean,
    resolve: (end: CallEnd) => void,
  ) {
    super(call, request, reserved, hasAnother, resolve)
    this.#stream = reserved.dispatch.openStream()
    call.stream = this.#stream
    this.meter = new Meter(call, reserved, this.#stream, this.inputCount, () => this.#cut())
  }

  protected onAnswer(bytes: Uint8Array): boolean {
    if (this.contentType !== 'text/event-stream') {
      this.#takeOther(bytes)
      return true
    }
    const text = byteTextOfBytes(bytes)
    const out = this.#stream.push(text)
    if (this.#isReplaceable) this.#keepUnseen(text)
    const isTaken = out === '' || this.hasLeft || this.#write(out)
    this.meter.onData()
    if (this.isOver) return true
    if (this.#stream.state === 'done' && this.#stream.isStopped !== true) this.finish(this.#ending())
    else if (this.#stream.state !== 'open') this.abort(this.#ending())
    else if (this.#stream.isFailing === true)
      this.#failingTimer ??= setTimeout(() => this.abort(this.onAnswerEnd()), closingMs)
    return isTaken
  }

  /** A provider that has sent its error may close in any way. */
  override onFailure(failure: UpstreamFailure): void {
    if (this.#stream.isFailing === true) this.onEnd()
    else super.onFailure(failure)
  }

  /** An error under status 200 comes as JSON even where a stream was asked for. */
  #takeOther(bytes: Uint8Array): void {
    this.#other += byteTextOfBytes(bytes)
    if (this.contentType !== 'application/json' || this.#other.length > errorBytesMax)
      this.abort(this.notAnAnswer(notAStream))
  }

  protected onAnswerEnd(): CallEnd {
    if (this.#other !== '') return this.refused(this.#other, notAStream)
    const out = this.#stream.end()
    if (out !== '' && !this.hasLeft) this.#write(out)
    return this.#ending()
  }

  protected counted(): Used {
    return { usage: this.meter.counted(), tokenSource: 'estimated', isInputOurs: this.meter.isInputOurs }
  }

  /**
   * What was delivered is charged. Where the client has seen nothing of an answer the provider has failed, and the
   * application bears the cost of reasoning that no one saw: a client would retry, and pay again.
   */
  protected usedWhenLost(): Used | null {
    return this.#stream.hasDelivered ? this.#used() : null
  }

  protected override over(end: CallEnd, ...rest: [failure?: Parameters<Relay['over']>[1]]): void {
    if (this.#stallTimer) clearTimeout(this.#stallTimer)
    if (this.#failingTimer) clearTimeout(this.#failingTimer)
    this.call.response.off('drain', this.#onDrain)
    this.call.pace = this.meter.paceOf(this.#bytes)
    super.over(end, ...rest)
  }

  #ending(): CallEnd {
    const { state } = this.#stream
    if (this.hasLeft) return { kind: 'left', used: this.#used() }
    if (state === 'done') {
      const used = this.#used()
      const isEmpty = this.#isReplaceable && used.usage.output <= 1 && !declines(this.#unseen)
      if (isEmpty) return this.notAnAnswer(emptyAnswer)
      this.#giveOut()
      return { kind: 'answered', used, rest: (usage) => this.#stream.tail(usage) }
    }
    const used = this.usedWhenLost()
    const { plan } = this.reserved
    if (state === 'open') {
      const failure = new Failure('upstream_truncated', {}, { provider: providerOf(plan) })
      return this.failed(failure, used)
    }
    const failure =
      state === 'failed'
        ? failureOfError(this.#stream.failure, this.hearing)
        : upstreamError('it sent a frame that cannot be read', plan)
    this.call.ports.log.warn(
      {
        requestId: this.call.id,
        account: plan.account.id,
        reason:
          failure.operatorDetails.upstreamCode ?? failure.operatorDetails.upstreamType ?? failure.message,
      },
      'a provider’s stream failed',
    )
    return this.failed(failure, used)
  }

  #used(): Used {
    const { usage, hasReportedUsage } = this.#stream
    if (usage) return usedAsTold(usage, () => this.meter.counted())
    if (hasReportedUsage) this.warnOfUsage()
    return this.counted()
  }

  /** Spend has reached its ceiling: the provider is closed, the client gets the terminal frame. */
  #cut(): void {
    if (this.isOver) return
    const used = this.#used()
    this.#giveOut()
    if (this.hasLeft) this.abort({ kind: 'left', used })
    else this.abort({ kind: 'cut', used, rest: (usage) => this.#spendTail(usage) })
  }

  #spendTail(usage: Usage): ByteText {
    const { hold } = this.reserved
    const reason = 'reservation exhausted mid-stream'
    const topUpUrl = this.call.caller?.config.topUpUrl ?? null
    const details = {
      limitSource: 'reservation',
      limit: String(hold.worstMicros),
      ...(topUpUrl !== null && { topUpUrl }),
    }
    const message = messageOf('stream_spend_limit', details)
    const error = { status: 402, code: 'spend_limit_exceeded', message, param: null, details, reason }
    return this.#stream.spendTail(usage, error, idOf('req', this.call.id))
  }

  protected spent(): Usage | null {
    const { inputUsage, outputTokens, usage } = this.#stream
    if (usage !== null) return usedAsTold(usage, () => this.meter.counted()).usage
    if (outputTokens > 0) return this.meter.counted()
    // What it says there of the output is no count.
    return inputUsage ? withoutOutput(inputUsage) : null
  }

  /** The client has seen nothing, and another target may answer. */
  get #isReplaceable(): boolean {
    return this.hasAnother && !this.hasLeft && !this.call.response.headersSent && !this.#stream.hasDelivered
  }

  #keepUnseen(text: ByteText): void {
    this.#unseen += text
    // Rarely, since each cut copies what is kept.
    if (this.#unseen.length > 2 * unseenBytesMax) this.#unseen = this.#unseen.slice(-unseenBytesMax)
  }

  /** Nothing takes this answer's place any more. */
  #giveOut(): void {
    const preamble = this.#preamble
    this.#preamble = ''
    if (preamble !== '' && !this.hasLeft) this.#send(preamble)
  }

  /** @returns false when the client takes no more for now */
  #write(out: ByteText): boolean {
    if (this.#isReplaceable) {
      this.#preamble += out
      return true
    }
    const preamble = this.#preamble
    this.#preamble = ''
    return this.#send(preamble + out)
  }

  #send(out: ByteText): boolean {
    const { response } = this.call
    writeHead(this.call, null)
    this.#bytes += out.length
    if (response.write(out, 'latin1')) return true
    response.once('drain', this.#onDrain)
    this.#stallTimer ??= setTimeout(this.#onStall, this.call.ports.limits.stallMs)
    return false
  }

  readonly #onDrain = (): void => {
    if (this.#stallTimer) clearTimeout(this.#stallTimer)
    this.#stallTimer = null
    this.upstream?.resume()
  }

  /** A client that reads nothing for so long occupies a provider's connection for nothing. */
  readonly #onStall = (): void => {
    this.abort({ kind: 'left', used: this.#used() })
  }
}
