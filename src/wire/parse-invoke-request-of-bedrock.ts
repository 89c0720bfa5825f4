import { parseInvokeEmbeddings } from './invoke-embeddings/request.ts'
import { messages } from './messages/wire.ts'
import type { Wire } from './wire.ts'
import { isFault } from './wire-request.ts'

/**
 * Reads the body of a request to Bedrock's operation `invoke`. The body itself shows its format, because only bodies of
 * Claude state a version. The format of the returned request is `messages` or `invoke_embeddings`.
 */
export const parseInvoke: Wire['parseRequest'] = (body, path, keep) => {
  const request = messages.parseRequest(body, path, keep)
  const isOther = isFault(request) && request.param === 'anthropic_version'
  return isOther ? parseInvokeEmbeddings(body, path) : request
}
