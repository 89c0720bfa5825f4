import type { Upstream, UpstreamFailure, UpstreamRequest } from '#domain/provider-upstream-interface.ts'
import { withoutByteOrderMark, type ByteText } from '#wire/text/byte-text.ts'
import { byteTextOfBytes } from '#gateway/arrive/chunk-to-byte-text.ts'
import { errorBytesMax } from './attempt-at-provider.ts'

export class LinesRefused extends Error {
  readonly status: number
  readonly retryAfterSeconds: number | null
  readonly text: ByteText

  constructor(status: number, retryAfterSeconds: number | null, text: ByteText) {
    super(`the provider returned ${status}`)
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
    this.text = text
  }
}

export class LinesLost extends Error {
  readonly failure: UpstreamFailure

  constructor(failure: UpstreamFailure) {
    super('the connection to the provider was lost', { cause: failure.cause })
    this.failure = failure
  }
}

/**
 * Yields the lines of a provider's response, without empty lines. The response is paused until the caller has taken the
 * previous lines, so that a long response needs little memory. If the caller stops early, the response is aborted.
 * @throws LinesRefused for an error status
 * @throws LinesLost
 * @throws Error for a line that is too long
 */
export async function* providerLines(
  upstream: Upstream,
  request: UpstreamRequest,
  lineBytesMax: number,
): AsyncGenerator<ByteText> {
  let status = 0
  let retryAfterSeconds: number | null = null
  let lines: ByteText[] = []
  /** The start of an incomplete line, or of an error body. */
  let rest: ByteText = ''
  const state: { isOver: boolean; fault: Error | null } = { isOver: false, fault: null }
  let arrived = Promise.withResolvers<void>()
  const end = (cause: Error | null): void => {
    Object.assign(state, { isOver: true, fault: cause })
    arrived.resolve()
  }
  const isGood = (): boolean => status >= 200 && status < 300
  const call = upstream.send(request, {
    onHead(newStatus, headers) {
      status = newStatus
      retryAfterSeconds = headers.retryAfterSeconds
    },
    onData(bytes) {
      const text = byteTextOfBytes(bytes)
      if (!isGood()) {
        if (rest.length < errorBytesMax) rest += text
        return true
      }
      const last = text.lastIndexOf('\n')
      if (last < 0) {
        rest += text
        if (rest.length > lineBytesMax) end(new Error('a line of the response is too long'))
        return !state.isOver
      }
      lines.push(...(rest + text.slice(0, last)).split('\n'))
      rest = text.slice(last + 1)
      arrived.resolve()
      return false
    },
    onEnd() {
      if (isGood()) lines.push(rest)
      end(isGood() ? null : new LinesRefused(status, retryAfterSeconds, rest))
    },
    onFailure: (failure) => end(new LinesLost(failure)),
  })
  try {
    for (let isFirst = true; ; isFirst = false) {
      const taken = lines
      lines = []
      for (const line of taken) {
        const text = withoutByteOrderMark(line).trim()
        if (text !== '') yield text
      }
      if (lines.length > 0) continue
      if (state.fault !== null) throw state.fault
      if (state.isOver) return
      arrived = Promise.withResolvers()
      if (!isFirst) call.resume()
      // oxlint-disable-next-line no-await-in-loop -- the lines arrive one after the other
      await arrived.promise
    }
  } finally {
    call.abort()
  }
}
