import type { IncomingHttpHeaders } from 'node:http'

/** Mistral's SDKs require more of some responses than OpenAI's format has (docs/reference/wires.md "Mistral"). */
export function isMistralClient(headers: IncomingHttpHeaders): boolean {
  return /mistral/i.test(headers['user-agent'] ?? '')
}
