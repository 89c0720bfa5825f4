import type { IncomingHttpHeaders } from 'node:http'

/**
 * The most that a call may wait: half of its client's own timeout, where the client states it (the official clients
 * of OpenAI and Anthropic do, in seconds), so that the other half is left for the answer.
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
