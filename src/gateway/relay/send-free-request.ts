import { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type {
  BatchRequest,
  ContainerRequest,
  ConversationRequest,
  FileRequest,
  StoredRequest,
} from '#domain/provider-upstream-interface.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Arrival } from '#gateway/call/arrived-request-types.ts'
import { forwardedHeaders } from './headers-sent-to-provider.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { unknownObject } from '#gateway/call/unknown-object-failure.ts'
import { collectResponse, type Collected } from './collect-whole-response.ts'
import { failureOfConnection } from './failure-of-provider-connection.ts'
import { failureOfStatus, upstreamError } from './failure-with-provider-error.ts'

type Answer = Extract<Collected, { kind: 'response' }>

const countBytesMax = 64 * 1024

export type FreeRequest =
  | { readonly body: ByteText; readonly request: WireRequest }
  | { readonly stored: StoredRequest; readonly query: string }
  | { readonly container: ContainerRequest; readonly query: string }
  | { readonly conversation: ConversationRequest; readonly query: string; readonly body?: ByteText }
  | {
      readonly file: FileRequest
      readonly query: ''
      readonly headers: readonly string[]
      readonly body?: ByteText
      readonly contentType?: string
    }
  | { readonly batch: BatchRequest; readonly query: string; readonly body?: ByteText }

/**
 * The request is aborted if the client disconnects, unless the request creates an object: an upload, a conversation or
 * a batch. Without the provider's response, the gateway would not know the ID of the new object.
 * @throws Failure as for a model call; `response_not_found`, `not_found`, `file_not_found` or `batch_not_found` if the
 *   object no longer exists
 */
export async function sendFreeRequest(arrival: Arrival, plan: Plan, asked: FreeRequest): Promise<ByteText> {
  return (await askProvider(arrival, plan, asked)).text
}

/**
 * For an upload in pieces, the result contains the state of the upload.
 * @throws Failure in the same cases as `sendFreeRequest`
 */
export async function askProvider(
  arrival: Arrival,
  plan: Plan,
  asked: FreeRequest,
): Promise<Pick<Answer, 'text' | 'upload'>> {
  const { id, ports, response, route } = arrival
  const { deadlines, responseBytesMax } = ports.limits
  const stored = 'stored' in asked ? asked.stored : undefined
  const container = 'container' in asked ? asked.container : undefined
  const conversation = 'conversation' in asked ? asked.conversation : undefined
  const file = 'file' in asked ? asked.file : undefined
  const batch = 'batch' in asked ? asked.batch : undefined
  const isUpload =
    file?.method === 'POST' ||
    (batch !== undefined && batch.id === undefined) ||
    (conversation !== undefined && conversation.id === undefined)
  const request = {
    account: plan.account,
    model: plan.target.model,
    wire: route.wire,
    purpose: 'count',
    body: 'body' in asked ? (asked.body ?? '') : '',
    contentType: 'contentType' in asked ? asked.contentType : undefined,
    ...(stored && { stored }),
    ...(container && { container }),
    ...(conversation && { conversation }),
    ...(file && { file }),
    ...(batch && { batch }),
    isStream: false,
    headers: 'headers' in asked ? asked.headers : forwardedHeaders(arrival),
    query: 'query' in asked ? asked.query : route.query,
    callId: idOf('req', id),
    deadlines,
  } as const
  const bytesMax =
    (stored ?? container ?? conversation ?? file) === undefined || isUpload ? countBytesMax : responseBytesMax
  const collecting = collectResponse(ports.upstream, request, bytesMax)
  if (!isUpload) response.once('close', collecting.abort)
  const collected = await collecting.response
  response.off('close', collecting.abort)
  switch (collected.kind) {
    case 'response': {
      const { retryAfterSeconds, status, text } = collected
      if (status >= 200 && status < 300) return collected
      if (status === 404 && stored) throw new Failure('response_not_found')
      if (status === 404 && container) unknownObject('container', route.container?.id ?? '')
      if (status === 404 && conversation) unknownObject('conversation', route.conversation?.id ?? '')
      // Treat Google's 403 like a 404, because Google returns 403 for a file that does not exist.
      const isMissing = status === 404 || (status === 403 && plan.source.account.kind === 'google')
      if (isMissing && file && !isUpload) throw new Failure('file_not_found')
      if (status === 404 && batch && !isUpload) throw new Failure('batch_not_found')
      const hearing = { ports, plan, isSameWire: true, ...('request' in asked && { request: asked.request }) }
      throw failureOfStatus(status, retryAfterSeconds, text, hearing)
    }
    case 'failed':
      throw failureOfConnection(collected.failure, deadlines, plan)
    case 'too_large':
      throw upstreamError('its response is too large', plan)
    case 'aborted':
      throw upstreamError('the client disconnected', plan)
    default:
      return collected satisfies never
  }
}
