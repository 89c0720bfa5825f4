import type { IncomingHttpHeaders } from 'node:http'

/**
 * A call may wait for half of the timeout that the client states, so that the other half remains for the response. The
 * official clients of OpenAI and Anthropic state their timeout, in seconds.
 */
export function waitMsOf(headers: IncomingHttpHeaders, mostMs: number): number {
  let waitMs = mostMs
  for (const name of timeoutHeaders) {
    const seconds = Number(headers[name] ?? '')
    if (seconds > 0) waitMs = Math.min(waitMs, (seconds * 1000) / 2)
  }
  return waitMs
}

const timeoutHeaders = ['x-stainless-timeout', 'x-stainless-read-timeout']
