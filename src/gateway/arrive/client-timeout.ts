import type { IncomingHttpHeaders } from 'node:http'

/**
 * How long a call may wait at most: half of what its client waits for an answer, where it says so (the
 * official clients of OpenAI and Anthropic, in seconds), so that the other half is left for the answer.
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
