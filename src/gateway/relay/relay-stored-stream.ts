import { idOf } from '#domain/ids-sorted-by-time.ts'
import type {
  StoredRequest,
  UpstreamCall,
  UpstreamFailure,
  UpstreamHeaders,
  UpstreamSink,
} from '#domain/provider-upstream-interface.ts'
import type { AnswerStream } from '#wire/stream/answer-stream-interface.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { byteTextOfBytes } from '#gateway/arrive/chunk-to-byte-text.ts'
import type { Arrival } from '#gateway/call/arrived-request-types.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { failureOfConnection } from './failure-of-provider-connection.ts'
import { ClientStreamWriter } from './client-stream-writer.ts'
import { errorBytesMax } from './attempt-at-provider.ts'
import { failureOfStatus, upstreamError } from './failure-with-provider-error.ts'
import { headersOf } from './write-response-to-client.ts'

/** The response is `lost` if the client disconnected or the provider connection broke. */
export type StoredStreamEnd = 'done' | 'failed' | 'lost'

/**
 * Does not write the end of the stream, which the caller of this function writes.
 * @throws Failure if the provider rejects the request, so that nothing was written
 */
export function relayStoredStream(
  arrival: Arrival,
  plan: Plan,
  request: { readonly stored: StoredRequest; readonly query: string },
  stream: AnswerStream,
): Promise<StoredStreamEnd> {
  return new Promise((resolve, reject) => {
    new StoredStreamRelay(arrival, plan, stream, { resolve, reject }).send(request)
  })
}

interface Outcome {
  resolve(end: StoredStreamEnd): void
  reject(failure: Error): void
}

class StoredStreamRelay implements UpstreamSink {
  readonly #arrival: Arrival
  readonly #plan: Plan
  readonly #stream: AnswerStream
  readonly #outcome: Outcome
  readonly #writer: ClientStreamWriter
  #upstream: UpstreamCall | null = null
  #status = 0
  #headers: UpstreamHeaders | null = null
  #error: ByteText = ''
  #isOver = false

  constructor(arrival: Arrival, plan: Plan, stream: AnswerStream, outcome: Outcome) {
    this.#arrival = arrival
    this.#plan = plan
    this.#stream = stream
    this.#outcome = outcome
    this.#writer = new ClientStreamWriter(arrival.response, () => this.#upstream?.resume())
  }

  send({ query, stored }: { readonly stored: StoredRequest; readonly query: string }): void {
    const { id, ports, response } = this.#arrival
    // A client that disconnected during the look-up of the response causes no event any more.
    if (response.destroyed) return this.#over('lost')
    const { deadlines, stallMs } = ports.limits
    response.once('close', this.#onClose)
    response.setTimeout(stallMs + deadlines.idleMs, () => response.destroy())
    this.#upstream = ports.upstream.send(
      {
        account: this.#plan.account,
        model: this.#plan.target.model,
        wire: 'responses',
        purpose: 'answer',
        stored,
        body: '',
        isStream: true,
        headers: [],
        query,
        callId: idOf('req', id),
        deadlines,
      },
      this,
    )
    if (this.#isOver) this.#upstream.abort()
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    this.#status = status
    this.#headers = headers
  }

  onData(bytes: Uint8Array): boolean {
    if (this.#isOver) return true
    if (!this.#isGood) {
      this.#error += byteTextOfBytes(bytes)
      if (this.#error.length > errorBytesMax) this.#refuse()
      return true
    }
    const isTaken = this.#write(this.#stream.push(byteTextOfBytes(bytes)))
    if (this.#stream.state !== 'open') this.#end()
    return isTaken
  }

  onEnd(): void {
    if (this.#isOver) return
    if (!this.#isGood) return this.#refuse()
    this.#write(this.#stream.end())
    this.#end()
  }

  onFailure(failure: UpstreamFailure): void {
    if (this.#isOver) return
    if (this.#arrival.response.headersSent) return this.#over('lost')
    this.#reject(failureOfConnection(failure, this.#arrival.ports.limits.deadlines, this.#plan))
  }

  get #isGood(): boolean {
    const isSuccess = this.#status >= 200 && this.#status < 300
    return isSuccess && this.#headers?.contentType === 'text/event-stream'
  }

  #refuse(): void {
    const { ports } = this.#arrival
    const { retryAfterSeconds = null } = this.#headers ?? {}
    const isSuccess = this.#status >= 200 && this.#status < 300
    this.#upstream?.abort()
    this.#reject(
      isSuccess
        ? upstreamError('it did not respond with a stream', this.#plan)
        : failureOfStatus(this.#status, retryAfterSeconds, this.#error, {
            ports,
            plan: this.#plan,
            isSameWire: true,
          }),
    )
  }

  /** @returns false if the client currently accepts no more data */
  #write(out: ByteText): boolean {
    if (out === '') return true
    const { response } = this.#arrival
    if (!response.headersSent) response.writeHead(200, headersOf(this.#arrival, 'text/event-stream'))
    return this.#writer.write(out)
  }

  #end(): void {
    const { state } = this.#stream
    this.#upstream?.abort()
    this.#over(state === 'done' || state === 'failed' ? state : 'lost')
  }

  readonly #onClose = (): void => {
    if (this.#isOver) return
    this.#upstream?.abort()
    this.#over('lost')
  }

  #over(end: StoredStreamEnd): void {
    this.#close()
    this.#outcome.resolve(end)
  }

  #reject(failure: Error): void {
    this.#close()
    this.#outcome.reject(failure)
  }

  #close(): void {
    this.#isOver = true
    this.#writer.end()
    this.#arrival.response.off('close', this.#onClose)
  }
}
