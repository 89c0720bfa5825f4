import { Failure, messageOf } from '#domain/errors.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { UpstreamFailure } from '#domain/provider-upstream-interface.ts'
import { withoutOutput, zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { AnswerStream } from '#wire/stream/answer-stream-interface.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { byteTextOfBytes } from '#gateway/arrive/chunk-to-byte-text.ts'
import type { ReservedCall } from '#gateway/call/call-state-types.ts'
import { backgroundCall } from './background-call-to-store.ts'
import { ClientStreamWriter } from './client-stream-writer.ts'
import { inFraming, writeHead } from './write-response-to-client.ts'
import { Meter } from './meter-cost-of-stream.ts'
import { usedAsTold, type CallEnd, type Used } from './end-of-call-at-provider.ts'
import { declines } from './classify-provider-failure.ts'
import {
  type Chances,
  closingMs,
  emptyAnswer,
  errorBytesMax,
  Relay,
  type Resolve,
} from './attempt-at-provider.ts'
import { failureOfError, providerOf, upstreamError } from './failure-with-provider-error.ts'

/** The end of the stream is withheld until the settle. */
export function relayStream(call: ReservedCall, chances: Chances): Promise<CallEnd> {
  return new Promise((resolve) => {
    new StreamRelay(call, chances, resolve).send()
  })
}

/** Maximum number of bytes kept from the end of a response. These bytes contain the finish reason. */
const unseenBytesMax = 64 * 1024

const notAStream = 'it did not respond with a stream'

/** Media types of responses that may contain server-sent events although they declare another type. */
const untypedStreams: ReadonlySet<string> = new Set(['text/plain', 'application/octet-stream', ''])
const eventBegin = /^(?:\xef\xbb\xbf)?[\r\n]*(?:data|event|id|retry)?:/
const beginBytes = 64

/** Null if too few bytes have arrived to tell. */
function beginsEvents(text: ByteText): boolean | null {
  if (eventBegin.test(text)) return true
  return text.length < beginBytes && !/[<{[]/.test(text) ? null : false
}

class StreamRelay extends Relay {
  readonly #meter: Meter
  readonly #stream: AnswerStream
  readonly #writer: ClientStreamWriter
  /**
   * The events before the first text, such as `message_start` and `response.created`. The client does not get these
   * events as long as another target may still serve the call.
   */
  #preamble: ByteText = ''
  #unseen: ByteText = ''
  /** Whether the response consists of server-sent events although its media type is another. */
  #isSniffed = false
  #other: ByteText = ''
  #bytes = 0
  /** Whether the ID of a background response was sent to the ledger. */
  #hasSentId = false
  /**
   * Whether the ledger has stored the ID of a background response, or has failed to store it. Until this field is true,
   * the client gets nothing of the response.
   */
  #isIdStored = false
  #awaitsFirstToken: boolean
  #stallTimer: NodeJS.Timeout | null = null
  #failingTimer: NodeJS.Timeout | null = null
  #finishedTimer: NodeJS.Timeout | null = null
  /** Number of pieces of text when the finish reason arrived. */
  #chunksAtFinish: number | null = null

  constructor(call: ReservedCall, chances: Chances, resolve: Resolve) {
    super(call, chances, resolve)
    this.#awaitsFirstToken = chances.deadlines?.firstTokenMs !== undefined
    this.#stream = this.reserved.dispatch.openStream()
    call.stream = this.#stream
    this.#writer = new ClientStreamWriter(call.response, this.#onDrain)
    this.#meter = new Meter(call, this.#stream, this.inputCount, () => this.#cut())
  }

  protected onAnswer(bytes: Uint8Array): boolean {
    const text = this.#isStream ? byteTextOfBytes(bytes) : this.#takeOther(bytes)
    if (text === '') return true
    const out = this.#stream.push(text)
    if (this.#isReplaceable) this.#keepUnseen(text)
    if (this.#awaitsFirstToken && this.#hasBegun && this.upstream !== null) {
      this.#awaitsFirstToken = false
      this.upstream.answering()
    }
    this.#noteId()
    const isTaken = out === '' || this.hasLeft || this.#write(out)
    this.#meter.onData()
    if (this.isOver) return true
    if (this.hasLeft && this.#runningId !== null) this.abort({ kind: 'left', used: null })
    else if (this.#stream.state === 'done' && this.#stream.isStopped !== true) this.finish(this.#ending())
    else if (this.#stream.state !== 'open') this.abort(this.#ending())
    else if (this.#stream.isFailing === true)
      this.#failingTimer ??= setTimeout(() => this.abort(this.onAnswerEnd()), closingMs)
    else this.#watchForEnd()
    return isTaken
  }

  /**
   * Ends a finished response if the provider keeps its stream open, with or without comments that keep the connection
   * alive (docs/reference/wires.md "Streams that stay open"). After a disconnect of the client, other limits apply.
   */
  #watchForEnd(): void {
    if (this.#stream.isFinished === true) this.#chunksAtFinish ??= this.#stream.textChunks
    if (this.#isFinished && !this.hasLeft) this.#finishedTimer ??= this.#endLater()
    else if (this.#finishedTimer !== null) {
      clearTimeout(this.#finishedTimer)
      this.#finishedTimer = null
    }
  }

  /** While a slow client makes the gateway wait, the gateway reads nothing, so the usage may not have been read yet. */
  #endLater(): NodeJS.Timeout {
    return setTimeout(() => {
      if (this.hasLeft) return
      if (this.#stallTimer === null) this.abort(this.onAnswerEnd())
      else this.#finishedTimer = this.#endLater()
    }, this.call.ports.limits.finishedMs)
  }

  /**
   * Some servers send a finish reason before or in the middle of the response. If no text has arrived, if text follows the
   * finish reason, or if several answers were requested, a finish reason does not show that the response is complete.
   */
  get #isFinished(): boolean {
    const { isFinished, textChunks } = this.#stream
    const isAfterText = textChunks > 0 && textChunks === this.#chunksAtFinish
    return this.request.choices === 1 && isFinished === true && isAfterText
  }

  /**
   * Stores the ID of a background response as soon as the ID arrives. If this process dies afterwards, another process
   * can find the end of the response.
   */
  #noteId(): void {
    const id = this.#runningId
    if (id === null || this.#hasSentId) return
    this.#hasSentId = true
    if (this.hasLeft) return
    const stored = (): void => {
      this.#isIdStored = true
      if (!this.isOver) this.#giveOut()
    }
    // If the store is unavailable, the ledger queues the ID until the store accepts it. The steps of the call are
    // stored when its stream ends.
    const started = backgroundCall(this.call, id, '{}')
    this.call.background.begin(started, this.#stream).then(stored, stored)
  }

  /** The ID of a background response that continues after this stream. Null for any other response. */
  get #runningId(): string | null {
    const { hasFailed, responseId, state } = this.#stream
    if (this.request.isBackground !== true || state === 'done' || hasFailed === true) return null
    return responseId ?? null
  }

  /**
   * Whether the client would learn the ID of a background response before the ID is stored. If the process died before
   * storing the ID, a readable response would be charged only for its input.
   */
  get #mustHideId(): boolean {
    return (
      this.request.isBackground === true && !this.#isIdStored && (this.#stream.responseId ?? null) !== null
    )
  }

  protected override get mayLeave(): boolean {
    return this.request.isBackground === true ? this.#runningId !== null : super.mayLeave
  }

  /** An error or a finish reason that the provider has sent matters more than how the connection closes. */
  override onFailure(failure: UpstreamFailure): void {
    if (this.#stream.isFailing === true || this.#isFinished) this.onEnd()
    else super.onFailure(failure)
  }

  get #isStream(): boolean {
    const { accepts } = this.#stream
    return this.#isSniffed || (accepts?.test(this.contentType) ?? this.contentType === 'text/event-stream')
  }

  /** Whether the first text has arrived, or the first data of a response without text, such as speech. */
  get #hasBegun(): boolean {
    return this.#stream.textChunks > 0 || this.#stream.hasDelivered
  }

  /**
   * A response may have another media type than that of an event stream. Providers send errors with status 200 as JSON,
   * even if a stream was requested. Some servers send events as plain text or without a media type.
   * @returns all bytes so far, once they are recognized as events; empty until then
   */
  #takeOther(bytes: Uint8Array): ByteText {
    this.#other += byteTextOfBytes(bytes)
    if (this.contentType !== 'application/json') {
      const begin = untypedStreams.has(this.contentType) ? beginsEvents(this.#other) : false
      if (begin === true) {
        const text = this.#other
        this.#other = ''
        this.#isSniffed = true
        return text
      }
      if (begin === false) this.abort(this.notAnAnswer(notAStream))
    } else if (this.#other.length > errorBytesMax) this.abort(this.notAnAnswer(notAStream))
    return ''
  }

  protected onAnswerEnd(): CallEnd {
    if (this.#other !== '') return this.refused(this.#other, notAStream)
    const out = this.#stream.end()
    if (out !== '' && !this.hasLeft) this.#write(out)
    return this.#ending()
  }

  protected counted(): Used {
    return { usage: this.#meter.counted(), tokenSource: 'estimated', isInputOurs: this.#meter.isInputOurs }
  }

  /**
   * A client pays only for the part of the response that it received. If the client received nothing, the application
   * pays for hidden reasoning, because a client that retries would pay twice.
   */
  protected usedWhenLost(): Used | null {
    return this.#stream.hasDelivered ? this.#used() : null
  }

  protected usedWhenLeft(): Used {
    return this.#used()
  }

  protected override over(end: CallEnd, ...rest: [failure?: Parameters<Relay['over']>[1]]): void {
    if (this.#stallTimer) clearTimeout(this.#stallTimer)
    if (this.#failingTimer) clearTimeout(this.#failingTimer)
    if (this.#finishedTimer) clearTimeout(this.#finishedTimer)
    this.#writer.end()
    this.call.pace = this.#meter.paceOf(this.#bytes)
    this.noteModel(this.#stream.answeredBy)
    super.over(this.#unlessRunning(end), ...rest)
  }

  /**
   * A background response may continue after its stream. The end of such a stream causes no charge. The output that was
   * delivered so far is stored as the minimum of the later charge.
   */
  #unlessRunning(end: CallEnd): CallEnd {
    const responseId = this.#runningId
    if (responseId === null || end.kind === 'answered') return end
    this.call.ports.ledger.checkpoint({ callId: this.call.id, usage: this.#meter.counted() })
    return { kind: 'background', used: null, responseId, rest: null }
  }

  protected override completed(end: CallEnd): CallEnd | Promise<CallEnd> {
    const counted = super.completed(end)
    return counted instanceof Promise
      ? counted.then((known) => this.#caughtUp(known))
      : this.#caughtUp(counted)
  }

  #caughtUp(end: CallEnd): CallEnd | Promise<CallEnd> {
    const extending = this.#meter.catchUp(end.used)
    return extending === null ? end : extending.then(() => end)
  }

  #ending(): CallEnd {
    const { state } = this.#stream
    if (this.hasLeft) return { kind: 'left', used: this.#used() }
    if (state === 'done') {
      const used = this.#used()
      if (this.chances.hasAnother && this.#isReplaceable && this.#isEmpty(used))
        return this.notAnAnswer(emptyAnswer)
      // The end of the response may contain the withheld ID, because the settle is stored before the end is sent.
      const withheld = this.#mustHideId ? this.#preamble : ''
      if (withheld === '') this.#giveOut()
      this.#warnOfDropped()
      return { kind: 'answered', used, rest: (usage) => withheld + this.#stream.tail(usage) }
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
    const { upstreamCode, upstreamType } = failure.operatorDetails
    this.warn({ reason: upstreamCode ?? upstreamType ?? failure.message }, 'provider stream failed')
    return this.failed(failure, used)
  }

  /**
   * The reported usage is not sufficient, because Anthropic's first event reports one output token even for an empty
   * response. The delivered text is not sufficient, because a short response may arrive completely before any text is
   * delivered.
   */
  #isEmpty({ usage }: Used): boolean {
    return this.#stream.textChunks === 0 && usage.output <= 1 && !declines(this.#unseen)
  }

  #warnOfDropped(): void {
    const { droppedFrames: frames } = this.#stream
    if (frames === 0) return
    this.warn({ frames }, 'provider stream contained frames that are not JSON; these frames were omitted')
  }

  /**
   * Returns the reported usage. Before the end of the stream, the report is not final: if clearly more output has
   * arrived than reported, the gateway's own count is used.
   */
  #used(): Used {
    const { usage, hasReportedUsage, isStopped, outputTokensSure, state } = this.#stream
    const isComplete = state === 'done' && isStopped !== true
    if (usage && !isComplete && usage.lacks !== 'output' && usage.output < outputTokensSure)
      return this.counted()
    if (usage) return usedAsTold(usage, this.reserved.plan.quote, () => this.#meter.counted())
    if (hasReportedUsage) this.warnOfUsage()
    return this.counted()
  }

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
    const topUpUrl = this.call.caller.config.topUpUrl
    const details = {
      limitSource: 'reservation',
      limit: String(hold.worstMicros),
      ...(topUpUrl !== null && { topUpUrl }),
    }
    const message = messageOf('stream_spend_limit', details)
    const error = { status: 402, code: 'spend_limit_exceeded', message, param: null, details, reason }
    return this.#stream.spendTail(usage, error, idOf('req', this.call.id))
  }

  protected spent(isGivenUp: boolean): Usage | null {
    const { inputUsage, outputTokens, usage } = this.#stream
    if (usage !== null) return usedAsTold(usage, this.reserved.plan.quote, () => this.#meter.counted()).usage
    if (outputTokens > 0) return this.#meter.counted()
    // Use only the input, because the output count in an earlier event is not final.
    if (inputUsage) return withoutOutput(inputUsage)
    return isGivenUp && this.#isStream ? { ...zeroUsage, input: this.inputCount.tokens } : null
  }

  /** Whether the client has received nothing yet and another attempt may follow. */
  get #isReplaceable(): boolean {
    if (!this.chances.mayFollow || this.hasLeft || this.#stream.hasDelivered) return false
    if (this.#runningId !== null) return false
    return !this.call.response.headersSent
  }

  #keepUnseen(text: ByteText): void {
    this.#unseen += text
    // Shorten the kept bytes only occasionally, because shortening copies the bytes.
    if (this.#unseen.length > 2 * unseenBytesMax) this.#unseen = this.#unseen.slice(-unseenBytesMax)
  }

  /** From now on, no other target can replace this response. */
  #giveOut(): void {
    const preamble = this.#preamble
    this.#preamble = ''
    if (preamble !== '' && !this.hasLeft) this.#send(preamble)
  }

  /** @returns false if the client currently accepts no more data */
  #write(out: ByteText): boolean {
    if (this.#isReplaceable || this.#mustHideId) {
      this.#preamble += out
      return true
    }
    const preamble = this.#preamble
    this.#preamble = ''
    return this.#send(preamble + out)
  }

  #send(out: ByteText): boolean {
    if (this.#bytes === 0) writeHead(this.call, null)
    const framed = inFraming(this.call, out)
    this.#bytes += framed.length
    if (this.#writer.write(framed)) return true
    this.#stallTimer ??= setTimeout(this.#onStall, this.call.ports.limits.stallMs)
    return false
  }

  readonly #onDrain = (): void => {
    if (this.#stallTimer) clearTimeout(this.#stallTimer)
    this.#stallTimer = null
    this.upstream?.resume()
  }

  /** Disconnects a client that has read nothing for `stallMs`, because the client keeps a provider connection busy. */
  readonly #onStall = (): void => {
    // The client may have disconnected since it last read. The read for the usage then has a time limit of its own.
    if (this.hasLeft) return
    this.abort({ kind: 'left', used: this.#used() })
  }
}
