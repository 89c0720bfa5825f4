import type { ProviderAccount } from '#domain/application-config.ts'
import type { FileFormat } from '#domain/accounts/provider-kinds.ts'
import type {
  BatchRequest,
  CachedRequest,
  ConversationRequest,
  FileRequest,
  UpstreamRequest,
} from '#domain/provider-upstream-interface.ts'
import { filesBeta } from './headers-sent-to-provider.ts'

export type AboutStoredObject =
  | { readonly batch: BatchRequest }
  | { readonly conversation: ConversationRequest }
  | { readonly file: FileRequest }
  | { readonly cached: CachedRequest }

/** Here, the wire only determines the vendor, so one of the vendor's wires is enough. */
const wires = { openai: 'chat', anthropic: 'messages', google: 'generate' } as const

export function storedObjectRequest(
  account: ProviderAccount,
  format: FileFormat,
  about: AboutStoredObject,
  more: Pick<UpstreamRequest, 'callId' | 'deadlines'> & Partial<Pick<UpstreamRequest, 'headers' | 'query'>>,
): UpstreamRequest {
  return {
    account,
    model: '',
    wire: wires[format],
    purpose: 'count',
    ...about,
    body: '',
    isStream: false,
    headers: 'file' in about && format === 'anthropic' ? filesBeta : [],
    query: '',
    ...more,
  }
}
